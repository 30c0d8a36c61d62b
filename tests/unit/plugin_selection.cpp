// SPDX-License-Identifier: BSD-3-Clause
// Which transport and device a context takes.
#include <cstdlib>
#include <vector>

#include "expect_failure.h"
#include "plugin/selection.h"

namespace halo {
namespace {

struct Host {
    halo_host host{};
    std::vector<std::string> logged;
    Host() {
        host.struct_size = sizeof host;
        host.core = this;
        host.report = [](void *, const char *) {};
        host.log = [](void *core, int32_t, const char *text) { static_cast<Host *>(core)->logged.push_back(text); };
        host.setting = [](void *, const char *) -> const char * { return nullptr; };
    }
};

Config config_with(const char *transport, const char *path = "/nowhere") {
    const Assignment assignments[] = { { "transport", transport, "call", "transport" }, { "plugin_path", path, "call", "plugin_path" } };
    return Config(assignments);
}

MpiChoice with_ranks(const char *mpi, int32_t launcher_ranks) {
    return { mpi, true, launcher_ranks, "the launcher started " + std::to_string(launcher_ranks) + " ranks" };
}

TEST(Selection, AloneIsInproc) {
    Host host;
    const TransportChoice choice = choose_transport(config_with("auto"), host.host, {});
    EXPECT_STREQ(choice.plugin->name, "inproc");
    EXPECT_EQ(choice.path, "");
    EXPECT_STREQ(choose_device(Config(), host.host).plugin->name, "host");
}

TEST(Selection, AutoTakesTheHighestScore) {
    Host host;
    const TransportChoice choice = choose_transport(config_with("auto", HALO_TEST_MODULES), host.host, {});
    EXPECT_STREQ(choice.plugin->name, "better");
    EXPECT_NE(choice.why.find("scores 1000"), std::string::npos);
}

// Its score is the highest of all.
TEST(Selection, AutoTakesAModuleForABootstrapWhereThereIsOneAlone) {
    Host host;
    const Config config = config_with("auto", HALO_TEST_MODULES);
    EXPECT_STREQ(choose_transport(config, host.host, {}).plugin->name, "better");
    halo_bootstrap bootstrap = HALO_BOOTSTRAP_INIT;
    bootstrap.n_ranks = 2;
    EXPECT_STREQ(choose_transport_over(bootstrap, config, host.host).plugin->name, "over");
}

// What is named and cannot serve: the text says what to set instead.
TEST(Selection, WhatLacksABootstrapOrAnMpiIsRefused) {
    Host host;
    expect_failure(HALO_ERR_PLUGIN, { "transport = over, but nothing tells its ranks where the others are", "transport = over,mpi", "halo_launch" },
                   [&] { choose_transport(config_with("over", HALO_TEST_MODULES), host.host, {}); });
    halo_bootstrap bootstrap = HALO_BOOTSTRAP_INIT;
    bootstrap.n_ranks = 2;
    expect_failure(HALO_ERR_PLUGIN, { "transport = mpi, but rank 0 of 2", "which no MPI has started: leave it out" },
                   [&] { choose_transport_over(bootstrap, config_with("over,mpi", HALO_TEST_MODULES), host.host); });
}

TEST(Selection, NamedIsTakenOrAnError) {
    Host host;
    EXPECT_STREQ(choose_transport(config_with("good", HALO_TEST_MODULES), host.host, {}).plugin->name, "good");
    expect_failure(HALO_ERR_PLUGIN, { "'unwilling'", "scores 0" },
                   [&] { choose_transport(config_with("unwilling", HALO_TEST_MODULES), host.host, {}); });
    expect_failure(HALO_ERR_PLUGIN, { "'old_abi'", "libhalo_transport_old_abi.so", "ABI 7." },
                   [&] { choose_transport(config_with("old_abi", HALO_TEST_MODULES), host.host, {}); });
    expect_failure(HALO_ERR_PLUGIN, { "'pigeon'", "libhalo_transport_pigeon.so", "/nowhere" },
                   [&] { choose_transport(config_with("pigeon"), host.host, {}); });
    const Assignment assignment{ "device", "abacus", "call", "device" };
    expect_failure(HALO_ERR_PLUGIN, { "'abacus'", "libhalo_device_abacus.so" }, [&] { choose_device(Config(std::span(&assignment, 1)), host.host); });
}

TEST(Selection, SeveralRanksNeedATransport) {
    Host host;
    expect_failure(HALO_ERR_PLUGIN, { "no transport can connect", "launcher started 4 ranks", "libhalo_transport_mpi_none.so" },
                   [&] { choose_transport(config_with("auto"), host.host, with_ranks("none", 4)); });
    expect_failure(HALO_ERR_PLUGIN, { "no transport can connect", "serves any MPI" },
                   [&] { choose_transport(config_with("auto"), host.host, with_ranks("", 4)); });
}

TEST(Selection, InprocUnderALauncherIsLogged) {
    Host host;
    EXPECT_STREQ(choose_transport(config_with("inproc"), host.host, with_ranks("openmpi", 4)).plugin->name, "inproc");
    ASSERT_EQ(host.logged.size(), 1u);
    EXPECT_NE(host.logged[0].find("4 ranks"), std::string::npos);
}

TEST(Selection, NoSecondMpi) {
    Host host;
    expect_failure(HALO_ERR_PLUGIN, { "transport = mpi_mpich" },
                   [&] { choose_transport(config_with("mpi_mpich"), host.host, with_ranks("openmpi", 4)); });
    expect_failure(HALO_ERR_PLUGIN, { "transport = mpi", "setting mpi" }, [&] { choose_transport(config_with("mpi"), host.host, {}); });
}

// ---- lists

Config config_with_besides(const char *transport, const char *besides) {
    const Assignment assignments[] = { { "transport", transport, "call", "transport" },
                                       { "transport.besides", besides, "call", "transport.besides" } };
    return Config(assignments);
}

std::string names_besides(const char *transport, const char *besides) {
    std::string text;
    for (const Beside &one : transports_besides(config_with_besides(transport, besides))) text += one.name + " ";
    return text;
}

TEST(TransportList, TheLastTakesTheRest) {
    EXPECT_EQ(transport_list(config_with("auto")).rest, "auto");
    EXPECT_EQ(transport_list(config_with(" shm , mpi")).rest, "mpi");
    EXPECT_EQ(transport_list(config_with("^ucx")).rest, "auto");
    EXPECT_EQ(transport_list(config_with("shm,auto,^ucx")).rest, "auto");
    EXPECT_EQ(names_besides("auto", ""), "");
    EXPECT_EQ(names_besides("mpi", "shm"), "shm ");
    EXPECT_EQ(names_besides("shm,auto", ""), "shm ");
    EXPECT_EQ(names_besides("shm,ucx,mpi", "shm,other"), "shm ucx other "); // of those of `transport` none twice
    EXPECT_EQ(besides_as_written(config_with_besides("shm,auto", " other")), "shm, other");
    EXPECT_EQ(besides_as_written(config_with_besides("auto", "shm")), besides_as_written(config_with_besides("shm,auto", "")));
    const std::vector<Beside> both = transports_besides(config_with_besides("shm,auto", "other"));
    EXPECT_EQ(both[0].why, "transport = shm,auto from call");
    EXPECT_EQ(both[1].why, "transport.besides = other from call");
}

std::string why_not_unasked_with(const char *key, const char *value) {
    const Assignment assignments[] = { { key, value, "call", key } };
    return why_not_unasked(Config(assignments));
}

TEST(TransportList, WhatGoesBesideUnaskedMayBeLeftOut) {
    EXPECT_EQ(why_not_unasked_with("transport", "auto"), "");
    EXPECT_EQ(why_not_unasked_with("transport", "^ucx"), "");
    EXPECT_EQ(why_not_unasked_with("transport", "other,auto"), "");
    EXPECT_EQ(why_not_unasked_with("transport", "^shm"), "transport = ^shm from call");
    EXPECT_EQ(why_not_unasked_with("transport", "mpi"), "transport = mpi from call");
    EXPECT_EQ(why_not_unasked_with("transport", "shm,ucx"), "transport = shm,ucx from call");
    EXPECT_EQ(why_not_unasked_with("shared_memory", "no"), "shared_memory = no from call");
    EXPECT_EQ(why_not_unasked_with("messages", "per_channel"), "");
    EXPECT_EQ(why_not_unasked_with("messages", "neighbourhood"), "messages = neighbourhood from call, which wants one transport");
}

TEST(TransportList, NothingGoesUnaskedBesideItself) {
    Host host;
    const Config defaults;
    for (const char *rest : { "inproc", "shm" }) EXPECT_TRUE(look_for_unasked(defaults, host.host, rest).is_there) << rest;
    EXPECT_TRUE(look_for_unasked(config_with("shm,ucx"), host.host, "ucx").is_there);
    EXPECT_FALSE(look_for_unasked(defaults, host.host, "ucx").is_there);
}

// Whose program may wait in MPI, while a peer takes what it has sent.
TEST(TransportList, BesideAnMpiWhatGoesUnaskedReachesReadersAlone) {
    Host host;
    const Config defaults;
    EXPECT_TRUE(look_for_unasked(defaults, host.host, "mpi_openmpi").readers_alone);
    EXPECT_FALSE(look_for_unasked(defaults, host.host, "ucx").readers_alone);
}

TEST(TransportList, WhatMakesNoSenseIsRefused) {
    struct Case {
        const char *list;
        const char *text;
    };
    const Case cases[] = { { "shm,,mpi", "a name is empty" },
                           { "shm,", "a name is empty" },
                           { "^", "a name is empty" },
                           { "auto,shm", "it is the last name" },
                           { "mpi,shm", "an MPI reaches all ranks" },
                           { "mpi_mpich,auto", "an MPI reaches all ranks" },
                           { "shm,^ucx", "leaves a name out" },
                           { "ucx,^ucx", "leaves a name out" },
                           { "^uxc", "there is no transport uxc to be left out" } };
    for (const Case &one : cases) expect_failure(HALO_ERR_CONFIG, { one.list, one.text }, [&] { transport_list(config_with(one.list)); });
    const Case besides[] = { { "auto", "it is the last name of the setting transport" },
                             { "shm,mpi", "an MPI reaches all ranks" },
                             { "mpi_mpich", "an MPI reaches all ranks" },
                             { "^ucx", "belongs into the setting transport" } };
    for (const Case &one : besides)
        expect_failure(HALO_ERR_CONFIG, { "transport.besides", one.list, one.text },
                       [&] { transports_besides(config_with_besides("auto", one.list)); });
}

TEST(TransportList, AutoTakesNoneThatIsLeftOut) {
    Host host;
    const TransportChoice choice = choose_transport(config_with("^better,^first", HALO_TEST_MODULES), host.host, {});
    EXPECT_STREQ(choice.plugin->name, "good");
    EXPECT_NE(choice.why.find("transport = ^better,^first from call; "), std::string::npos) << choice.why;
    expect_failure(HALO_ERR_PLUGIN, { "no transport can connect", "good: left out by the setting transport", "better: left out" },
                   [&] { choose_transport(config_with("^better,^first,^good,^inproc", HALO_TEST_MODULES), host.host, {}); });
    expect_failure(HALO_ERR_PLUGIN, { "no transport can connect", "mpi_here: left out" },
                   [&] { choose_transport(config_with("^mpi,^better,^good,^first", HALO_TEST_MODULES), host.host, with_ranks("here", 4)); });
    halo_bootstrap bootstrap = HALO_BOOTSTRAP_INIT;
    bootstrap.n_ranks = 2;
    expect_failure(HALO_ERR_PLUGIN, { "no transport can connect", "over: left out" },
                   [&] { choose_transport_over(bootstrap, config_with("^over", HALO_TEST_MODULES), host.host); });
    EXPECT_STREQ(choose_transport_over(bootstrap, config_with("good,over", HALO_TEST_MODULES), host.host).plugin->name, "over");
}

Config config_of(const char *bootstrap, const char *transport) {
    const Assignment assignments[] = { { "transport", transport, "call", "transport" },
                                       { "bootstrap", bootstrap, "call", "bootstrap" },
                                       { "plugin_path", HALO_TEST_MODULES, "call", "plugin_path" } };
    return Config(assignments);
}

TEST(Selection, ABootstrapThatIsNamedIsTakenOrAnError) {
    Host host;
    const BootstrapChoice choice = named_bootstrap(config_of("hand", "auto"), host.host);
    ASSERT_TRUE(choice.plugin);
    EXPECT_STREQ(choice.plugin->name, "hand");
    EXPECT_NE(choice.why.find("bootstrap = hand from call"), std::string::npos) << choice.why;
    EXPECT_FALSE(named_bootstrap(config_of("auto", "auto"), host.host).plugin);
    expect_failure(HALO_ERR_PLUGIN, { "bootstrap 'unready'", "cannot be used: no launcher" },
                   [&] { named_bootstrap(config_of("unready", "auto"), host.host); });
    expect_failure(HALO_ERR_PLUGIN, { "bootstrap 'none'", "there is no libhalo_bootstrap_none.so" },
                   [&] { named_bootstrap(config_of("none", "auto"), host.host); });
    expect_failure(HALO_ERR_PLUGIN, { "bootstrap 'holed'", "operation 5 of 5 is NULL" },
                   [&] { named_bootstrap(config_of("holed", "auto"), host.host); });
}

// Such as a server of PMIx sets them.
struct StartedByPmix {
    StartedByPmix() { setenv("PMIX_NAMESPACE", "job", 1), setenv("PMIX_RANK", "0", 1); }
    ~StartedByPmix() { unsetenv("PMIX_NAMESPACE"), unsetenv("PMIX_RANK"); }
    StartedByPmix(const StartedByPmix &) = delete;
    StartedByPmix &operator=(const StartedByPmix &) = delete;
};

// The module "pmix" of the tests does no more than say that it is there.
TEST(Selection, PmixWhereMpiCannotServe) {
    Host host;
    const MpiChoice none, missing = with_ranks("none", 4);
    const MpiFacts nothing, initialised{ { { "none", "libnone.so", true } }, {} };
    const auto taken = [&](const MpiFacts &facts, const MpiChoice &mpi, const char *transport) {
        return bootstrap_instead_of(facts, mpi, config_of("auto", transport), host.host).plugin != nullptr;
    };
    EXPECT_FALSE(taken(nothing, none, "auto")); // nobody but this process
    const StartedByPmix started;
    EXPECT_TRUE(taken(nothing, none, "auto"));
    EXPECT_TRUE(taken(nothing, missing, "auto"));
    EXPECT_TRUE(taken(nothing, missing, "over"));
    EXPECT_FALSE(taken(nothing, missing, "good")); // which opens over no bootstrap
    EXPECT_FALSE(taken(nothing, missing, "inproc"));
    EXPECT_FALSE(taken(nothing, missing, "mpi"));
    EXPECT_FALSE(taken(initialised, missing, "auto"));
    EXPECT_FALSE(taken(nothing, { "good", false, 1, "" }, "auto")); // one rank
    EXPECT_FALSE(taken(nothing, { "here", true, 4, "" }, "auto"));  // its module is there
    EXPECT_TRUE(taken(nothing, { "here", true, 4, "" }, "^mpi"));
    EXPECT_TRUE(taken(nothing, { "here", true, 4, "" }, "^mpi_here"));
    EXPECT_FALSE(taken(nothing, { "here", true, 4, "" }, "^better"));
    EXPECT_TRUE(taken(initialised, missing, "^mpi"));
    EXPECT_FALSE(taken(nothing, { "here", true, 1, "" }, "^mpi"));
    EXPECT_TRUE(taken(nothing, missing, "good,over"));
    EXPECT_FALSE(taken(nothing, missing, "over,good"));
}

TEST(Selection, ModulesTextHasWhatIsBeside) {
    const std::string text = render_modules(config_with("good,better", HALO_TEST_MODULES));
    EXPECT_NE(text.find("a context now would take better"), std::string::npos) << text;
    EXPECT_NE(text.find("\nbeside it, to the ranks that it reaches, good: transport = good,better from call\n"), std::string::npos) << text;
}

TEST(Selection, ModulesText) {
    const std::string text = render_modules(config_with("auto", HALO_TEST_MODULES));
    const std::string directory = HALO_TEST_MODULES;
    const std::vector<std::string> parts = {
        "transport inproc ",
        "built in",
        "transport good 1.2.3, " + directory,
        "score 5",
        "transport old_abi, " + directory,
        "not usable: it was built for plugin ABI 7.",
        "transport shm is not there: it is in the package libhalo-shm, and is built where there is Linux",
        "device host ",
        "a context now would take device host",
        "device cuda is not there: it is in the package libhalo-cuda, and is built where there is NVIDIA's toolkit",
        "bootstrap hand 1, " + directory,
        "bootstrap unready 1, " + directory,
        "score 0, not usable: no launcher",
        "a context now would take better",
        "modules are looked for in " + directory
    };
    for (const std::string &part : parts) EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in:\n" << text;
}

} // namespace
} // namespace halo
