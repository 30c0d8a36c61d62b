// SPDX-License-Identifier: BSD-3-Clause
// The letters of the pictures, drawn by hand: five dots wide, seven high and two below the line.
#pragma once

#include <string_view>

namespace drawing {

inline constexpr int glyph_width = 5, glyph_height = 9, glyph_baseline = 7, glyph_advance = 6;

/// Some characters and their dots, side by side.
struct GlyphStripe {
    std::string_view characters;
    std::string_view rows[glyph_height];
};

// clang-format off
inline constexpr GlyphStripe glyph_stripes[] = {
    {"ABCDELMSTabcdefghi",
     {" ###  ####   ###  ####  ##### #     #   #  #### #####       #               #         ##        #       #  ",
      "#   # #   # #   # #   # #     #     ## ## #       #         #               #        #          #          ",
      "#   # #   # #     #   # #     #     # # # #       #    ###  ####   ###   ####  ###  ####   #### ####   ##  ",
      "##### ####  #     #   # ####  #     # # #  ###    #       # #   # #     #   # #   #  #    #   # #   #   #  ",
      "#   # #   # #     #   # #     #     #   #     #   #    #### #   # #     #   # #####  #    #   # #   #   #  ",
      "#   # #   # #   # #   # #     #     #   #     #   #   #   # #   # #     #   # #      #    #   # #   #   #  ",
      "#   # ####   ###  ####  ##### ##### #   # ####    #    #### ####   ###   ####  ###   #     #### #   #  ### ",
      "                                                                                              #            ",
      "                                                                                           ###             "}},
    {"jklmnopqrstuvwxyz0",
     {"   #  #      ##                                              #                                         ### ",
      "      #       #                                              #                                        #   #",
      "  ##  #  #    #   ## #  ####   ###  ####   #### # ##   #### ####  #   # #   # #   # #   # #   # ##### #  ##",
      "   #  # #     #   # # # #   # #   # #   # #   # ##    #      #    #   # #   # # # #  # #  #   #    #  # # #",
      "   #  ##      #   # # # #   # #   # #   # #   # #      ###   #    #   # #   # # # #   #   #   #   #   ##  #",
      "   #  # #     #   # # # #   # #   # #   # #   # #         #  #    #   #  # #  # # #  # #  #   #  #    #   #",
      "   #  #  #   ###  # # # #   #  ###  ####   #### #     ####    ##   ####   #    # #  #   #  #### #####  ### ",
      "#  #                                #         #                                               #            ",
      " ##                                 #         #                                            ###             "}},
    {"123456789.,:-+=()/",
     {"  #    ###   ###     #  #####  ###  #####  ###   ###                                         #   #        #",
      " ##   #   # #   #   ##  #     #         # #   # #   #                           #           #     #       #",
      "  #       #     #  # #  ####  #        #  #   # #   #               ##          #   #####  #       #     # ",
      "  #     ##    ##  #  #      # ####    #    ###   ####               ##  ##### #####        #       #    #  ",
      "  #    #        # #####     # #   #   #   #   #     #                           #   #####  #       #   #   ",
      "  #   #     #   #    #  #   # #   #   #   #   #     #   ##    ##    ##          #           #     #   #    ",
      " ###  #####  ###     #   ###   ###    #    ###   ###    ##    #     ##                       #   #    #    ",
      "                                                             #                                             ",
      "                                                                                                           "}},
};
// clang-format on

/// Is this dot of a character set? Characters without a drawing are blank.
constexpr bool glyph_dot(char character, int column, int row) {
    for (const auto &stripe : glyph_stripes) {
        const auto at = stripe.characters.find(character);
        if (at != std::string_view::npos) return stripe.rows[row][at * glyph_advance + static_cast<std::size_t>(column)] == '#';
    }
    return false;
}

} // namespace drawing
