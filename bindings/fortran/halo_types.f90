! SPDX-License-Identifier: BSD-3-Clause
! Written by bindings/fortran/generate.py from the C headers.
!> Constants and structs of the C interface. A struct begins with its defaults; halo_struct_init gives them again.
module halo_types
  use, intrinsic :: iso_c_binding
  implicit none
  public

  integer(c_int32_t), parameter :: HALO_VERSION_MAJOR = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_VERSION_MINOR = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_VERSION_PATCH = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_SUCCESS = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_BUSY = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_TIMEOUT = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_DECLINED = 3_c_int32_t
  integer(c_int32_t), parameter :: HALO_ERR_ARGUMENT = 10_c_int32_t
  integer(c_int32_t), parameter :: HALO_ERR_VERSION = 11_c_int32_t
  integer(c_int32_t), parameter :: HALO_ERR_STATE = 12_c_int32_t
  integer(c_int32_t), parameter :: HALO_ERR_NOT_FOUND = 13_c_int32_t
  integer(c_int32_t), parameter :: HALO_ERR_EXISTS = 14_c_int32_t
  integer(c_int32_t), parameter :: HALO_ERR_UNBOUND = 15_c_int32_t
  integer(c_int32_t), parameter :: HALO_ERR_BOUNDS = 16_c_int32_t
  integer(c_int32_t), parameter :: HALO_ERR_MISMATCH = 17_c_int32_t
  integer(c_int32_t), parameter :: HALO_ERR_MEMORY = 18_c_int32_t
  integer(c_int32_t), parameter :: HALO_ERR_LIMIT = 19_c_int32_t
  integer(c_int32_t), parameter :: HALO_ERR_CONFIG = 20_c_int32_t
  integer(c_int32_t), parameter :: HALO_ERR_PLUGIN = 21_c_int32_t
  integer(c_int32_t), parameter :: HALO_ERR_TRANSPORT = 22_c_int32_t
  integer(c_int32_t), parameter :: HALO_ERR_PEER = 23_c_int32_t
  integer(c_int32_t), parameter :: HALO_ERR_WIRE = 24_c_int32_t
  integer(c_int32_t), parameter :: HALO_ERR_DEVICE = 25_c_int32_t
  integer(c_int32_t), parameter :: HALO_ERR_HANDLE = 26_c_int32_t
  integer(c_int32_t), parameter :: HALO_ERR_CHECK = 27_c_int32_t
  integer(c_int32_t), parameter :: HALO_ERR_INTERNAL = 99_c_int32_t
  integer(c_int32_t), parameter :: HALO_MEMORY_HOST = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_MEMORY_PINNED = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_MEMORY_DEVICE = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_MEMORY_SHARED = 3_c_int32_t
  integer(c_int32_t), parameter :: HALO_FLOAT32 = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_FLOAT64 = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_INT32 = 3_c_int32_t
  integer(c_int32_t), parameter :: HALO_INT64 = 4_c_int32_t
  integer(c_int32_t), parameter :: HALO_COMPLEX64 = 5_c_int32_t
  integer(c_int32_t), parameter :: HALO_COMPLEX128 = 6_c_int32_t
  integer(c_int32_t), parameter :: HALO_BYTES = 7_c_int32_t
  integer(c_int32_t), parameter :: HALO_INT8 = 8_c_int32_t
  integer(c_int32_t), parameter :: HALO_INT16 = 9_c_int32_t
  integer(c_int32_t), parameter :: HALO_UINT8 = 10_c_int32_t
  integer(c_int32_t), parameter :: HALO_UINT16 = 11_c_int32_t
  integer(c_int32_t), parameter :: HALO_UINT32 = 12_c_int32_t
  integer(c_int32_t), parameter :: HALO_UINT64 = 13_c_int32_t
  integer(c_int32_t), parameter :: HALO_FLOAT16 = 14_c_int32_t
  integer(c_int32_t), parameter :: HALO_BFLOAT16 = 15_c_int32_t
  integer(c_int32_t), parameter :: HALO_SUM = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_MIN = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_MAX = 3_c_int32_t
  integer(c_int32_t), parameter :: HALO_PROD = 4_c_int32_t
  integer(c_int32_t), parameter :: HALO_USER = 5_c_int32_t
  integer(c_int32_t), parameter :: HALO_LAND = 6_c_int32_t
  integer(c_int32_t), parameter :: HALO_LOR = 7_c_int32_t
  integer(c_int32_t), parameter :: HALO_LXOR = 8_c_int32_t
  integer(c_int32_t), parameter :: HALO_BAND = 9_c_int32_t
  integer(c_int32_t), parameter :: HALO_BOR = 10_c_int32_t
  integer(c_int32_t), parameter :: HALO_BXOR = 11_c_int32_t
  integer(c_int32_t), parameter :: HALO_MINLOC = 12_c_int32_t
  integer(c_int32_t), parameter :: HALO_MAXLOC = 13_c_int32_t
  integer(c_int32_t), parameter :: HALO_ORDER_MORTON = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_ORDER_ROWS = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_OWNER_LOWEST_RANK = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_OWNER_SPREAD = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_OWNER_WEIGHT = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_OWNER_CLAIM = 3_c_int32_t
  integer(c_int32_t), parameter :: HALO_KEY_CLAIM = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_KEY_READ_ONLY = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_KEY_IGNORE = 4_c_int32_t
  integer(c_int32_t), parameter :: HALO_KEY_WANT = 8_c_int32_t
  integer(c_int32_t), parameter :: HALO_NUMBERING_BY_OWNER = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_NUMBERING_BY_KEY = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_NUMBERING_AS_GIVEN = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_DIRECTORY_AUTO = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_DIRECTORY_RANGE = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_DIRECTORY_HASH = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_NO_INDEX = -1_c_int32_t
  integer(c_int32_t), parameter :: HALO_CENTRE_CELL = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_CENTRE_FACE_X = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_CENTRE_FACE_Y = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_CENTRE_FACE_Z = 4_c_int32_t
  integer(c_int32_t), parameter :: HALO_CENTRE_EDGE_Z = 3_c_int32_t
  integer(c_int32_t), parameter :: HALO_CENTRE_EDGE_Y = 5_c_int32_t
  integer(c_int32_t), parameter :: HALO_CENTRE_EDGE_X = 6_c_int32_t
  integer(c_int32_t), parameter :: HALO_CENTRE_NODE = 7_c_int32_t
  integer(c_int32_t), parameter :: HALO_CENTRE_FACES = 8_c_int32_t
  integer(c_int32_t), parameter :: HALO_CENTRE_EDGES = 9_c_int32_t
  integer(c_int32_t), parameter :: HALO_VECTOR_NONE = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_VECTOR_COMPONENTS = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_VECTOR_ALONG = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_DIM_COMPONENTS = 3_c_int32_t
  integer(c_int32_t), parameter :: HALO_DIM_PLACES = 4_c_int32_t
  type(c_ptr), parameter :: HALO_STREAM_NONE = c_null_ptr
  type(c_ptr), parameter :: HALO_STREAM_DEFAULT = transfer(-1_c_intptr_t, c_null_ptr)
  integer(c_int32_t), parameter :: HALO_STENCIL_FULL = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_STENCIL_FACES = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_STENCIL_EDGES = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_KIND_GHOSTS = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_KIND_REVERSE = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_KIND_SHARED_REDUCE = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_KIND_FETCH = 3_c_int32_t
  integer(c_int32_t), parameter :: HALO_SHARED_KEEP = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_SHARED_OWNER = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_SHARED_ONLY = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_PATTERN_DIRECT = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_PATTERN_SWEEPS = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_COMBINE_BY_GID = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_COMBINE_CANONICAL = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_COMBINE_BY_RANK = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_MESSAGES_AUTO = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_MESSAGES_AGGREGATE = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_MESSAGES_PER_CHANNEL = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_RECEIVE_AUTO = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_RECEIVE_POSTED = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_RECEIVE_PROBED = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_EDGES_ALL = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_EDGES_LOCAL = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_EDGES_REMOTE = 2_c_int32_t
  real(c_double), parameter :: HALO_TIMEOUT_CONFIGURED = -1.0_c_double
  integer(c_int32_t), parameter :: HALO_TRANSFER_COPY = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_TRANSFER_ADD = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_DEVICE_HOST = -1_c_int32_t
  integer(c_int32_t), parameter :: HALO_INFO_VERSION = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_INFO_MODULES = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_INFO_SETTINGS = 3_c_int32_t
  integer(c_int32_t), parameter :: HALO_INFO_MANUAL = 4_c_int32_t
  integer(c_int32_t), parameter :: HALO_SECTION_CORE = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_SECTION_OWNED = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_SECTION_EXEC = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_SECTION_NON_EXEC = 3_c_int32_t
  integer(c_int32_t), parameter :: HALO_READ = 11_c_int32_t
  integer(c_int32_t), parameter :: HALO_WRITE = 12_c_int32_t
  integer(c_int32_t), parameter :: HALO_RW = 13_c_int32_t
  integer(c_int32_t), parameter :: HALO_INC = 14_c_int32_t
  integer(c_int32_t), parameter :: HALO_ACCESS_MIN = 15_c_int32_t
  integer(c_int32_t), parameter :: HALO_ACCESS_MAX = 16_c_int32_t
  integer(c_int32_t), parameter :: HALO_DIRECT = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_VIA_MAP = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_STYLE_REDUNDANT = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_STYLE_REVERSE = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_ON_HOST = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_ON_DEVICE = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_FRESHNESS_VALID = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_FRESHNESS_STALE = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_FRESHNESS_IN_FLIGHT = 3_c_int32_t
  integer(c_int32_t), parameter :: HALO_FRESHNESS_PENDING_REVERSE = 4_c_int32_t
  integer(c_int32_t), parameter :: HALO_FRESHNESS_FROZEN = 5_c_int32_t
  integer(c_int32_t), parameter :: HALO_RESIDENT_DEVICE_UNALLOCATED = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_RESIDENT_HOST_UNALLOCATED = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_RESIDENT_HOST = 3_c_int32_t
  integer(c_int32_t), parameter :: HALO_RESIDENT_DEVICE = 4_c_int32_t
  integer(c_int32_t), parameter :: HALO_RESIDENT_BOTH = 5_c_int32_t
  integer(c_int32_t), parameter :: HALO_STALE = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_SENDING = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_SENDING_NULL = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_RECEIVED = 3_c_int32_t
  integer(c_int32_t), parameter :: HALO_RECEIVED_NULL = 4_c_int32_t
  integer(c_int32_t), parameter :: HALO_BUFFER_POOL = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_BUFFER_CALLER = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_BUFFER_ALLOCATOR = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_BALANCE_FULL = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_BALANCE_EDGES = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_BALANCE_FACES = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_MARK_COARSEN = -1_c_int32_t
  integer(c_int32_t), parameter :: HALO_MARK_KEEP = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_MARK_REFINE = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_PROLONG_MINMOD = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_PROLONG_CONSTANT = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_PROLONG_DIVERGENCE = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_PROLONG_OWN = 3_c_int32_t
  integer(c_int32_t), parameter :: HALO_RESTRICT_MEAN = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_RESTRICT_OWN = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_KIND_FLUXES = 16_c_int32_t
  integer(c_int32_t), parameter :: HALO_REGION_RESTRICT = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_REGION_RESTRICT_GHOSTS = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_REGION_PROLONGATE = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_LEVELS_GHOSTS = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_LEVELS_WHOLE = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_LEVELS_AVERAGE = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_LEVELS_FLUXES = 3_c_int32_t
  integer(c_int32_t), parameter :: HALO_LEVEL_UNCOVERED = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_LEVEL_BESIDE = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_LEVEL_COVERED = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_LEVEL_SAME = 3_c_int32_t
  integer(c_int32_t), parameter :: HALO_LEVEL_COARSER = 4_c_int32_t
  integer(c_int32_t), parameter :: HALO_LEVEL_OUTSIDE = 5_c_int32_t
  integer(c_int32_t), parameter :: HALO_MESH_OWNER_BROUGHT = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_MESH_OWNER_GIVEN = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_MESH_OWNER_OF_TARGETS = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_MESH_OWNER_OF_SOURCES = 3_c_int32_t
  integer(c_int32_t), parameter :: HALO_PARTICLE_LEAVES = -1_c_int32_t
  integer(c_int32_t), parameter :: HALO_SPHERE_ICOSAHEDRON = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_SPHERE_OCTAHEDRON = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_SPHERE_CELLS = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_SPHERE_EDGES = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_SPHERE_VERTICES = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_STENCIL_BY_POINTS = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_STENCIL_BY_STAGES = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_STENCIL_COMPUTE = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_STENCIL_EXCHANGE = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_STENCIL_CHEAPEST = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_STENCIL_READ = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_STENCIL_WRITE = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_STENCIL_UPDATE = 2_c_int32_t
  integer(c_int32_t), parameter :: HALO_STENCIL_ALL = -1_c_int32_t
  integer(c_int32_t), parameter :: HALO_STENCIL_PARALLEL = 0_c_int32_t
  integer(c_int32_t), parameter :: HALO_STENCIL_UPWARD = 1_c_int32_t
  integer(c_int32_t), parameter :: HALO_STENCIL_DOWNWARD = 2_c_int32_t

  type, bind(c) :: halo_allocator
    integer(c_int32_t) :: memory = 0_c_int32_t
    integer(c_int32_t) :: device = 0_c_int32_t
    type(c_ptr) :: user = c_null_ptr
    type(c_funptr) :: allocate = c_null_funptr
    type(c_funptr) :: release = c_null_funptr
  end type halo_allocator

  type, bind(c) :: halo_setting
    type(c_ptr) :: key = c_null_ptr
    type(c_ptr) :: value = c_null_ptr
  end type halo_setting

  type, bind(c) :: halo_context_options
    integer(c_size_t) :: struct_size = 56_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: n_settings = 0_c_int32_t
    type(c_ptr) :: settings = c_null_ptr
    type(c_funptr) :: log = c_null_funptr
    type(c_ptr) :: log_user = c_null_ptr
    type(c_ptr) :: allocators = c_null_ptr
    integer(c_int32_t) :: n_allocators = 0_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
  end type halo_context_options

  type, bind(c) :: halo_bootstrap
    integer(c_size_t) :: struct_size = 40_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: rank = 0_c_int32_t
    integer(c_int32_t) :: n_ranks = 0_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
    type(c_ptr) :: user = c_null_ptr
    type(c_funptr) :: allgather = c_null_funptr
  end type halo_bootstrap

  type, bind(c) :: halo_blocks_desc
    integer(c_size_t) :: struct_size = 96_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: n_dims = 3_c_int32_t
    integer(c_int64_t) :: n_blocks(3) = [1_c_int64_t, 1_c_int64_t, 1_c_int64_t]
    integer(c_int64_t) :: n_cells(3) = [1_c_int64_t, 1_c_int64_t, 1_c_int64_t]
    integer(c_int32_t) :: periodic(3) = [0_c_int32_t, 0_c_int32_t, 0_c_int32_t]
    integer(c_int32_t) :: order = 0_c_int32_t
    type(c_ptr) :: owner = c_null_ptr
    integer(c_int64_t) :: n_owner = 0_c_int64_t
  end type halo_blocks_desc

  type, bind(c) :: halo_box
    integer(c_int64_t) :: low(3) = [0_c_int64_t, 0_c_int64_t, 0_c_int64_t]
    integer(c_int64_t) :: high(3) = [0_c_int64_t, 0_c_int64_t, 0_c_int64_t]
  end type halo_box

  type, bind(c) :: halo_boxes_desc
    integer(c_size_t) :: struct_size = 120_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: n_dims = 3_c_int32_t
    type(halo_box) :: domain = halo_box([0_c_int64_t, 0_c_int64_t, 0_c_int64_t], [1_c_int64_t, 1_c_int64_t, &
      1_c_int64_t])
    integer(c_int32_t) :: periodic(3) = [0_c_int32_t, 0_c_int32_t, 0_c_int32_t]
    integer(c_int32_t) :: distributed = 0_c_int32_t
    type(c_ptr) :: boxes = c_null_ptr
    integer(c_int64_t) :: n_boxes = 0_c_int64_t
    type(c_ptr) :: owner = c_null_ptr
    type(c_ptr) :: priority = c_null_ptr
    integer(c_int32_t) :: reach = 0_c_int32_t
    integer(c_int32_t) :: n_parts_per_rank = 0_c_int32_t
  end type halo_boxes_desc

  type, bind(c) :: halo_join
    integer(c_int64_t) :: send_gid = 0_c_int64_t
    integer(c_int64_t) :: receive_gid = 0_c_int64_t
    type(halo_box) :: send = halo_box([0_c_int64_t, 0_c_int64_t, 0_c_int64_t], [0_c_int64_t, 0_c_int64_t, 0_c_int64_t])
    type(halo_box) :: receive = halo_box([0_c_int64_t, 0_c_int64_t, 0_c_int64_t], [0_c_int64_t, 0_c_int64_t, &
      0_c_int64_t])
    integer(c_int32_t) :: axis(3) = [0_c_int32_t, 0_c_int32_t, 0_c_int32_t]
    integer(c_int32_t) :: sign(3) = [0_c_int32_t, 0_c_int32_t, 0_c_int32_t]
  end type halo_join

  type, bind(c) :: halo_regions_desc
    integer(c_size_t) :: struct_size = 80_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: n_dims = 3_c_int32_t
    type(c_ptr) :: cells = c_null_ptr
    type(c_ptr) :: owner = c_null_ptr
    integer(c_int64_t) :: n_parts = 0_c_int64_t
    type(c_ptr) :: joins = c_null_ptr
    integer(c_size_t) :: join_bytes = 136_c_size_t
    integer(c_int64_t) :: n_joins = 0_c_int64_t
    integer(c_int32_t) :: reach = 0_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
    type(c_ptr) :: vector_signs = c_null_ptr
  end type halo_regions_desc

  type, bind(c) :: halo_keys_desc
    integer(c_size_t) :: struct_size = 88_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: owner_rule = 0_c_int32_t
    integer(c_int64_t) :: n_keys = 0_c_int64_t
    type(c_ptr) :: keys = c_null_ptr
    type(c_ptr) :: flags = c_null_ptr
    type(c_ptr) :: weights = c_null_ptr
    type(c_ptr) :: owners = c_null_ptr
    integer(c_int32_t) :: numbering = 0_c_int32_t
    integer(c_int32_t) :: directory = 0_c_int32_t
    integer(c_int32_t) :: editable = 0_c_int32_t
    integer(c_int32_t) :: n_parts = 0_c_int32_t
    type(c_ptr) :: part_offsets = c_null_ptr
    integer(c_int64_t) :: n_mine = -1_c_int64_t
  end type halo_keys_desc

  type, bind(c) :: halo_keys_edit
    integer(c_size_t) :: struct_size = 72_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
    integer(c_int64_t) :: n_remove = 0_c_int64_t
    type(c_ptr) :: remove = c_null_ptr
    integer(c_int64_t) :: n_add = 0_c_int64_t
    type(c_ptr) :: add = c_null_ptr
    type(c_ptr) :: flags = c_null_ptr
    type(c_ptr) :: weights = c_null_ptr
    type(c_ptr) :: owners = c_null_ptr
  end type halo_keys_edit

  type, bind(c) :: halo_graph_desc
    integer(c_size_t) :: struct_size = 112_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: rings = 1_c_int32_t
    integer(c_int64_t) :: n_owned = 0_c_int64_t
    type(c_ptr) :: keys = c_null_ptr
    type(c_ptr) :: offsets = c_null_ptr
    type(c_ptr) :: neighbours = c_null_ptr
    type(c_ptr) :: owners = c_null_ptr
    integer(c_int64_t) :: width = 0_c_int64_t
    integer(c_int64_t) :: skip = 0_c_int64_t
    integer(c_int32_t) :: has_skip = 0_c_int32_t
    integer(c_int32_t) :: directory = 0_c_int32_t
    type(c_ptr) :: rows = c_null_ptr
    type(c_ptr) :: lengths = c_null_ptr
    type(c_funptr) :: owner_of = c_null_funptr
    type(c_ptr) :: owner_user = c_null_ptr
  end type halo_graph_desc

  type, bind(c) :: halo_star_desc
    integer(c_size_t) :: struct_size = 56_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: sharers = 0_c_int32_t
    integer(c_int64_t) :: n_points = 0_c_int64_t
    integer(c_int64_t) :: n_leaves = 0_c_int64_t
    type(c_ptr) :: leaves = c_null_ptr
    type(c_ptr) :: ranks = c_null_ptr
    type(c_ptr) :: indices = c_null_ptr
  end type halo_star_desc

  type, bind(c) :: halo_lists_desc
    integer(c_size_t) :: struct_size = 72_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: n_peers = 0_c_int32_t
    integer(c_int64_t) :: n_points = 0_c_int64_t
    type(c_ptr) :: peers = c_null_ptr
    type(c_ptr) :: send_offsets = c_null_ptr
    type(c_ptr) :: send = c_null_ptr
    type(c_ptr) :: receive_offsets = c_null_ptr
    type(c_ptr) :: receive = c_null_ptr
    integer(c_int32_t) :: sharers = 0_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
  end type halo_lists_desc

  type, bind(c) :: halo_keys_report
    integer(c_size_t) :: struct_size = 120_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: directory = 0_c_int32_t
    integer(c_int64_t) :: n_points = 0_c_int64_t
    integer(c_int64_t) :: n_owned = 0_c_int64_t
    integer(c_int64_t) :: n_ghosts = 0_c_int64_t
    integer(c_int64_t) :: first_global = 0_c_int64_t
    integer(c_int64_t) :: n_global = 0_c_int64_t
    integer(c_int64_t) :: n_unclaimed = 0_c_int64_t
    integer(c_int64_t) :: n_several_claim = 0_c_int64_t
    type(c_ptr) :: unclaimed = c_null_ptr
    integer(c_int64_t) :: n_unclaimed_here = 0_c_int64_t
    type(c_ptr) :: several_claim = c_null_ptr
    integer(c_int64_t) :: n_several_claim_here = 0_c_int64_t
    integer(c_int64_t) :: messages_sent = 0_c_int64_t
    integer(c_int64_t) :: bytes_sent = 0_c_int64_t
  end type halo_keys_report

  type, bind(c) :: halo_part
    integer(c_size_t) :: struct_size = 104_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: rank = 0_c_int32_t
    integer(c_int64_t) :: gid = 0_c_int64_t
    integer(c_int32_t) :: level = 0_c_int32_t
    integer(c_int32_t) :: n_dims = 0_c_int32_t
    type(halo_box) :: cells = halo_box([0_c_int64_t, 0_c_int64_t, 0_c_int64_t], [0_c_int64_t, 0_c_int64_t, 0_c_int64_t])
    integer(c_int32_t) :: at_boundary(6) = [0_c_int32_t, 0_c_int32_t, 0_c_int32_t, 0_c_int32_t, 0_c_int32_t, &
      0_c_int32_t]
  end type halo_part

  type, bind(c) :: halo_neighbour
    integer(c_int64_t) :: gid = 0_c_int64_t
    integer(c_int32_t) :: rank = 0_c_int32_t
    integer(c_int32_t) :: element = 0_c_int32_t
    integer(c_int32_t) :: level = 0_c_int32_t
    integer(c_int32_t) :: axis(3) = [0_c_int32_t, 0_c_int32_t, 0_c_int32_t]
    integer(c_int32_t) :: sign(3) = [0_c_int32_t, 0_c_int32_t, 0_c_int32_t]
    integer(c_int32_t) :: reserved = 0_c_int32_t
  end type halo_neighbour

  type, bind(c) :: halo_field_desc
    integer(c_size_t) :: struct_size = 120_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: type = 2_c_int32_t
    type(c_ptr) :: name = c_null_ptr
    integer(c_int64_t) :: element_bytes = 0_c_int64_t
    integer(c_int32_t) :: n_components = 1_c_int32_t
    integer(c_int32_t) :: centring = 0_c_int32_t
    integer(c_int32_t) :: ghost_low(3) = [0_c_int32_t, 0_c_int32_t, 0_c_int32_t]
    integer(c_int32_t) :: ghost_high(3) = [0_c_int32_t, 0_c_int32_t, 0_c_int32_t]
    integer(c_int32_t) :: sparse = 0_c_int32_t
    integer(c_int32_t) :: n_sets = 1_c_int32_t
    real(c_double) :: threshold = 0.0_c_double
    real(c_double) :: fill = 0.0_c_double
    integer(c_int32_t) :: vector = 0_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
    integer(c_int64_t) :: release_after = 0_c_int64_t
    real(c_double) :: release_below = 0.0_c_double
    type(c_ptr) :: controller = c_null_ptr
  end type halo_field_desc

  type, bind(c) :: halo_layout
    integer(c_size_t) :: struct_size = 72_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
    integer(c_int64_t) :: elements = 0_c_int64_t
    integer(c_int64_t) :: first_owned = 0_c_int64_t
    integer(c_int64_t) :: stride(3) = [0_c_int64_t, 0_c_int64_t, 0_c_int64_t]
    integer(c_int64_t) :: component_stride = 0_c_int64_t
    integer(c_int64_t) :: place_stride = 0_c_int64_t
  end type halo_layout

  type, bind(c) :: halo_layout_desc
    integer(c_size_t) :: struct_size = 64_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: alignment = 64_c_int32_t
    integer(c_int32_t) :: order(5) = [0_c_int32_t, 1_c_int32_t, 2_c_int32_t, 3_c_int32_t, 4_c_int32_t]
    integer(c_int32_t) :: ghost_low(3) = [0_c_int32_t, 0_c_int32_t, 0_c_int32_t]
    integer(c_int32_t) :: ghost_high(3) = [0_c_int32_t, 0_c_int32_t, 0_c_int32_t]
    integer(c_int32_t) :: reserved = 0_c_int32_t
  end type halo_layout_desc

  type, bind(c) :: halo_binding
    integer(c_size_t) :: struct_size = 40_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: set = 0_c_int32_t
    type(c_ptr) :: data = c_null_ptr
    type(c_ptr) :: layout = c_null_ptr
    integer(c_int32_t) :: memory = 0_c_int32_t
    integer(c_int32_t) :: device = 0_c_int32_t
  end type halo_binding

  type, bind(c) :: halo_boundary
    type(halo_box) :: ghosts = halo_box([0_c_int64_t, 0_c_int64_t, 0_c_int64_t], [0_c_int64_t, 0_c_int64_t, &
      0_c_int64_t])
    integer(c_int32_t) :: element = 0_c_int32_t
    integer(c_int32_t) :: place = 0_c_int32_t
  end type halo_boundary

  type, bind(c) :: halo_arrival
    type(c_ptr) :: field = c_null_ptr
    integer(c_int64_t) :: gid = 0_c_int64_t
  end type halo_arrival

  type, bind(c) :: halo_exchange_desc
    integer(c_size_t) :: struct_size = 104_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: stencil = 0_c_int32_t
    integer(c_int32_t) :: messages = 0_c_int32_t
    integer(c_int32_t) :: receive = 0_c_int32_t
    integer(c_int32_t) :: edges = 0_c_int32_t
    integer(c_int32_t) :: source_stable = 0_c_int32_t
    real(c_double) :: timeout_seconds = -1.0_c_double
    type(c_funptr) :: arrival = c_null_funptr
    type(c_ptr) :: arrival_user = c_null_ptr
    integer(c_int32_t) :: kind = 0_c_int32_t
    integer(c_int32_t) :: op = 1_c_int32_t
    integer(c_int32_t) :: shared = 0_c_int32_t
    integer(c_int32_t) :: pattern = 0_c_int32_t
    type(c_funptr) :: combine = c_null_funptr
    type(c_ptr) :: combine_user = c_null_ptr
    type(c_ptr) :: sections = c_null_ptr
    integer(c_int32_t) :: combine_order = 0_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
  end type halo_exchange_desc

  type, bind(c) :: halo_transfer_desc
    integer(c_size_t) :: struct_size = 80_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: op = 0_c_int32_t
    integer(c_int32_t) :: source_ghosts(6) = [0_c_int32_t, 0_c_int32_t, 0_c_int32_t, 0_c_int32_t, 0_c_int32_t, &
      0_c_int32_t]
    integer(c_int32_t) :: destination_ghosts(6) = [0_c_int32_t, 0_c_int32_t, 0_c_int32_t, 0_c_int32_t, 0_c_int32_t, &
      0_c_int32_t]
    integer(c_int32_t) :: messages = 0_c_int32_t
    integer(c_int32_t) :: receive = 0_c_int32_t
    real(c_double) :: timeout_seconds = -1.0_c_double
  end type halo_transfer_desc

  type, bind(c) :: halo_run
    integer(c_size_t) :: struct_size = 104_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: first_component = 0_c_int32_t
    integer(c_int32_t) :: n_components = 0_c_int32_t
    integer(c_int32_t) :: depth = 0_c_int32_t
    integer(c_int32_t) :: op = 0_c_int32_t
    integer(c_int32_t) :: n_fields = 0_c_int32_t
    type(c_ptr) :: field_mask = c_null_ptr
    type(c_ptr) :: sets = c_null_ptr
    type(c_ptr) :: devices = c_null_ptr
    type(c_ptr) :: data = c_null_ptr
    integer(c_int64_t) :: n_data = 0_c_int64_t
    integer(c_int32_t) :: has_ghosts = 0_c_int32_t
    integer(c_int32_t) :: ghost_low(3) = [0_c_int32_t, 0_c_int32_t, 0_c_int32_t]
    integer(c_int32_t) :: ghost_high(3) = [0_c_int32_t, 0_c_int32_t, 0_c_int32_t]
    integer(c_int32_t) :: reserved = 0_c_int32_t
  end type halo_run

  type, bind(c) :: halo_exchange_stats
    integer(c_size_t) :: struct_size = 168_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: n_peers = 0_c_int32_t
    integer(c_int64_t) :: runs = 0_c_int64_t
    integer(c_int64_t) :: messages_sent = 0_c_int64_t
    integer(c_int64_t) :: messages_received = 0_c_int64_t
    integer(c_int64_t) :: bytes_sent = 0_c_int64_t
    integer(c_int64_t) :: payload_bytes = 0_c_int64_t
    integer(c_int64_t) :: local_bytes = 0_c_int64_t
    integer(c_int64_t) :: channels_local = 0_c_int64_t
    integer(c_int64_t) :: channels_send = 0_c_int64_t
    integer(c_int64_t) :: channels_receive = 0_c_int64_t
    integer(c_int64_t) :: sparse_sent = 0_c_int64_t
    integer(c_int64_t) :: sparse_null = 0_c_int64_t
    integer(c_int64_t) :: tables_compiled = 0_c_int64_t
    integer(c_int64_t) :: rows_compiled = 0_c_int64_t
    integer(c_int64_t) :: dropped = 0_c_int64_t
    real(c_double) :: wait_seconds = 0.0_c_double
    real(c_double) :: total_seconds = 0.0_c_double
    integer(c_int64_t) :: messages_landed = 0_c_int64_t
    integer(c_int64_t) :: device_launches = 0_c_int64_t
    integer(c_int64_t) :: runs_departed_later = 0_c_int64_t
  end type halo_exchange_stats

  type, bind(c) :: halo_peer_row
    integer(c_int32_t) :: rank = 0_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
    integer(c_int64_t) :: channels_sent = 0_c_int64_t
    integer(c_int64_t) :: channels_received = 0_c_int64_t
    integer(c_int64_t) :: bytes_sent = 0_c_int64_t
    integer(c_int64_t) :: bytes_received = 0_c_int64_t
  end type halo_peer_row

  type, bind(c) :: halo_pool_stats
    integer(c_size_t) :: struct_size = 48_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: memory = 0_c_int32_t
    integer(c_int64_t) :: in_use_bytes = 0_c_int64_t
    integer(c_int64_t) :: held_bytes = 0_c_int64_t
    integer(c_int64_t) :: peak_bytes = 0_c_int64_t
    integer(c_int64_t) :: allocations = 0_c_int64_t
  end type halo_pool_stats

  type, bind(c) :: halo_map
    type(c_ptr) :: to = c_null_ptr
    type(c_ptr) :: to_owners = c_null_ptr
    integer(c_int64_t) :: n_to = 0_c_int64_t
    integer(c_int32_t) :: arity = 0_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
  end type halo_map

  type, bind(c) :: halo_section_sizes
    integer(c_size_t) :: struct_size = 48_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
    integer(c_int64_t) :: n(4) = [0_c_int64_t, 0_c_int64_t, 0_c_int64_t, 0_c_int64_t]
  end type halo_section_sizes

  type, bind(c) :: halo_access
    type(c_ptr) :: field = c_null_ptr
    integer(c_int32_t) :: mode = 0_c_int32_t
    integer(c_int32_t) :: through = 0_c_int32_t
    integer(c_int32_t) :: sections = 0_c_int32_t
    integer(c_int32_t) :: whole = 0_c_int32_t
    integer(c_int32_t) :: set = 0_c_int32_t
    integer(c_int32_t) :: may_lose = 0_c_int32_t
    integer(c_int32_t) :: combine_order = 0_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
  end type halo_access

  type, bind(c) :: halo_access_state
    integer(c_size_t) :: struct_size = 40_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: freshness = 0_c_int32_t
    integer(c_int32_t) :: pending = 0_c_int32_t
    integer(c_int32_t) :: fresh = 0_c_int32_t
    integer(c_int32_t) :: owned = 0_c_int32_t
    integer(c_int32_t) :: ghosts = 0_c_int32_t
    integer(c_int64_t) :: version = 0_c_int64_t
  end type halo_access_state

  type, bind(c) :: halo_access_stats
    integer(c_size_t) :: struct_size = 64_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
    integer(c_int64_t) :: started = 0_c_int64_t
    integer(c_int64_t) :: skipped = 0_c_int64_t
    integer(c_int64_t) :: reversed = 0_c_int64_t
    integer(c_int64_t) :: bytes_sent = 0_c_int64_t
    integer(c_int64_t) :: bytes_up = 0_c_int64_t
    integer(c_int64_t) :: bytes_down = 0_c_int64_t
  end type halo_access_stats

  type, bind(c) :: halo_reduction_item
    integer(c_int64_t) :: n = 1_c_int64_t
    integer(c_int32_t) :: type = 2_c_int32_t
    integer(c_int32_t) :: op = 1_c_int32_t
    integer(c_int64_t) :: element_bytes = 0_c_int64_t
    integer(c_int64_t) :: offset = 0_c_int64_t
    integer(c_int64_t) :: index_offset = 0_c_int64_t
    type(c_funptr) :: combine = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
  end type halo_reduction_item

  type, bind(c) :: halo_channel_key
    integer(c_int64_t) :: send_gid = 0_c_int64_t
    integer(c_int64_t) :: receive_gid = 0_c_int64_t
    integer(c_int32_t) :: field = 0_c_int32_t
    integer(c_int32_t) :: element = 0_c_int32_t
    integer(c_int64_t) :: extra = 0_c_int64_t
  end type halo_channel_key

  type, bind(c) :: halo_channel_allocator
    integer(c_size_t) :: struct_size = 48_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: memory = 0_c_int32_t
    integer(c_int32_t) :: device = 0_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
    type(c_ptr) :: user = c_null_ptr
    type(c_funptr) :: allocate = c_null_funptr
    type(c_funptr) :: release = c_null_funptr
  end type halo_channel_allocator

  type, bind(c) :: halo_channel_desc
    integer(c_size_t) :: struct_size = 80_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: send_rank = 0_c_int32_t
    integer(c_int32_t) :: receive_rank = 0_c_int32_t
    integer(c_int32_t) :: type = 2_c_int32_t
    integer(c_int64_t) :: count = 0_c_int64_t
    integer(c_int64_t) :: element_bytes = 0_c_int64_t
    integer(c_int32_t) :: sparse = 0_c_int32_t
    integer(c_int32_t) :: buffer_kind = 0_c_int32_t
    type(c_ptr) :: buffer = c_null_ptr
    type(c_ptr) :: allocator = c_null_ptr
    integer(c_int32_t) :: memory = 0_c_int32_t
    integer(c_int32_t) :: device = 0_c_int32_t
    integer(c_int32_t) :: varies = 0_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
  end type halo_channel_desc

  type, bind(c) :: halo_buffer
    integer(c_size_t) :: struct_size = 40_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: state = 0_c_int32_t
    type(c_ptr) :: data = c_null_ptr
    integer(c_int64_t) :: bytes = 0_c_int64_t
    integer(c_int64_t) :: generation = 0_c_int64_t
  end type halo_buffer

  type, bind(c) :: halo_group_desc
    integer(c_size_t) :: struct_size = 40_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: messages = 0_c_int32_t
    real(c_double) :: timeout_seconds = -1.0_c_double
    integer(c_int32_t) :: memory = 0_c_int32_t
    integer(c_int32_t) :: device = 0_c_int32_t
    integer(c_int32_t) :: flags_memory = 0_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
  end type halo_group_desc

  type, bind(c) :: halo_group_row
    type(c_ptr) :: channel = c_null_ptr
    type(c_ptr) :: data = c_null_ptr
    integer(c_int64_t) :: bytes = 0_c_int64_t
    integer(c_int32_t) :: peer = 0_c_int32_t
    integer(c_int32_t) :: sender = 0_c_int32_t
    integer(c_int32_t) :: state = 0_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
  end type halo_group_row

  type, bind(c) :: halo_leaf
    integer(c_int32_t) :: tree = 0_c_int32_t
    integer(c_int32_t) :: level = 0_c_int32_t
    integer(c_int64_t) :: at(3) = [0_c_int64_t, 0_c_int64_t, 0_c_int64_t]
  end type halo_leaf

  type, bind(c) :: halo_tree
    integer(c_int64_t) :: n_roots(3) = [1_c_int64_t, 1_c_int64_t, 1_c_int64_t]
  end type halo_tree

  type, bind(c) :: halo_tree_join
    integer(c_int32_t) :: tree = 0_c_int32_t
    integer(c_int32_t) :: side = 0_c_int32_t
    integer(c_int32_t) :: to_tree = 0_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
    integer(c_int32_t) :: axis(3) = [0_c_int32_t, 1_c_int32_t, 2_c_int32_t]
    integer(c_int32_t) :: sign(3) = [1_c_int32_t, 1_c_int32_t, 1_c_int32_t]
  end type halo_tree_join

  type, bind(c) :: halo_forest_desc
    integer(c_size_t) :: struct_size = 120_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: n_dims = 3_c_int32_t
    integer(c_int64_t) :: n_cells(3) = [1_c_int64_t, 1_c_int64_t, 1_c_int64_t]
    type(c_ptr) :: trees = c_null_ptr
    integer(c_size_t) :: tree_bytes = 24_c_size_t
    type(c_ptr) :: joins = c_null_ptr
    integer(c_size_t) :: join_bytes = 40_c_size_t
    type(c_ptr) :: leaves = c_null_ptr
    integer(c_size_t) :: leaf_bytes = 32_c_size_t
    integer(c_int64_t) :: n_leaves = 0_c_int64_t
    type(c_ptr) :: owner = c_null_ptr
    integer(c_int32_t) :: n_trees = 0_c_int32_t
    integer(c_int32_t) :: n_joins = 0_c_int32_t
    integer(c_int32_t) :: balance = 0_c_int32_t
    integer(c_int32_t) :: distributed = 0_c_int32_t
  end type halo_forest_desc

  type, bind(c) :: halo_level_region
    type(halo_box) :: points = halo_box([0_c_int64_t, 0_c_int64_t, 0_c_int64_t], [0_c_int64_t, 0_c_int64_t, &
      0_c_int64_t])
    integer(c_int32_t) :: what = 0_c_int32_t
    integer(c_int32_t) :: place = 0_c_int32_t
  end type halo_level_region

  type, bind(c) :: halo_levels_desc
    integer(c_size_t) :: struct_size = 32_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: what = 0_c_int32_t
    integer(c_int32_t) :: messages = 0_c_int32_t
    integer(c_int32_t) :: receive = 0_c_int32_t
    real(c_double) :: timeout_seconds = -1.0_c_double
  end type halo_levels_desc

  type, bind(c) :: halo_level_box
    type(halo_box) :: cells = halo_box([0_c_int64_t, 0_c_int64_t, 0_c_int64_t], [0_c_int64_t, 0_c_int64_t, 0_c_int64_t])
    integer(c_int32_t) :: kind = 0_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
  end type halo_level_box

  type, bind(c) :: halo_mesh_set
    type(c_ptr) :: name = c_null_ptr
    integer(c_int64_t) :: n = 0_c_int64_t
    type(c_ptr) :: keys = c_null_ptr
    type(c_ptr) :: owners = c_null_ptr
    integer(c_int32_t) :: owner_rule = 0_c_int32_t
    integer(c_int32_t) :: owner_map = 0_c_int32_t
  end type halo_mesh_set

  type, bind(c) :: halo_mesh_map
    type(c_ptr) :: name = c_null_ptr
    integer(c_int32_t) :: from = 0_c_int32_t
    integer(c_int32_t) :: to = 0_c_int32_t
    integer(c_int32_t) :: arity = 1_c_int32_t
    integer(c_int32_t) :: has_none = 0_c_int32_t
    integer(c_int64_t) :: none = 0_c_int64_t
    type(c_ptr) :: keys = c_null_ptr
  end type halo_mesh_map

  type, bind(c) :: halo_mesh_desc
    integer(c_size_t) :: struct_size = 64_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: depth = 1_c_int32_t
    integer(c_int32_t) :: n_sets = 0_c_int32_t
    integer(c_int32_t) :: n_maps = 0_c_int32_t
    type(c_ptr) :: sets = c_null_ptr
    integer(c_size_t) :: set_bytes = 40_c_size_t
    type(c_ptr) :: maps = c_null_ptr
    integer(c_size_t) :: map_bytes = 40_c_size_t
    integer(c_int32_t) :: directory = 0_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
  end type halo_mesh_desc

  type, bind(c) :: halo_mesh_local
    integer(c_size_t) :: struct_size = 72_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: depth = 0_c_int32_t
    integer(c_int64_t) :: n = 0_c_int64_t
    integer(c_int64_t) :: n_core = 0_c_int64_t
    integer(c_int64_t) :: n_owned = 0_c_int64_t
    type(c_ptr) :: layer_ends = c_null_ptr
    type(c_ptr) :: reach_ends = c_null_ptr
    type(c_ptr) :: keys = c_null_ptr
    type(c_ptr) :: owners = c_null_ptr
  end type halo_mesh_local

  type, bind(c) :: halo_column_entry
    integer(c_int32_t) :: entry = 0_c_int32_t
    integer(c_int32_t) :: layer = 0_c_int32_t
    integer(c_int32_t) :: step = 0_c_int32_t
  end type halo_column_entry

  type, bind(c) :: halo_particle_vector
    integer(c_int32_t) :: column(3) = [0_c_int32_t, 0_c_int32_t, 0_c_int32_t]
    integer(c_int32_t) :: reserved = 0_c_int32_t
    integer(c_int64_t) :: offset(3) = [0_c_int64_t, 0_c_int64_t, 0_c_int64_t]
  end type halo_particle_vector

  type, bind(c) :: halo_particles_desc
    integer(c_size_t) :: struct_size = 56_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: n_columns = 1_c_int32_t
    type(c_ptr) :: column_bytes = c_null_ptr
    type(c_ptr) :: position = c_null_ptr
    type(c_ptr) :: vectors = c_null_ptr
    integer(c_int32_t) :: n_vectors = 0_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
    real(c_double) :: timeout_seconds = -1.0_c_double
  end type halo_particles_desc

  type, bind(c) :: halo_particles_arrays
    integer(c_size_t) :: struct_size = 56_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
    integer(c_int64_t) :: n_parts = 0_c_int64_t
    type(c_ptr) :: counts = c_null_ptr
    type(c_ptr) :: data = c_null_ptr
    integer(c_int64_t) :: n_data = 0_c_int64_t
    type(c_ptr) :: targets = c_null_ptr
  end type halo_particles_arrays

  type, bind(c) :: halo_particle_place
    integer(c_int64_t) :: gid = 0_c_int64_t
    integer(c_int64_t) :: place = 0_c_int64_t
  end type halo_particle_place

  type, bind(c) :: halo_sphere_entity
    integer(c_int32_t) :: parallelogram = 0_c_int32_t
    integer(c_int32_t) :: colour = 0_c_int32_t
    integer(c_int64_t) :: i = 0_c_int64_t
    integer(c_int64_t) :: j = 0_c_int64_t
  end type halo_sphere_entity

  type, bind(c) :: halo_sphere_box
    integer(c_int32_t) :: parallelogram = 0_c_int32_t
    integer(c_int32_t) :: owner = 0_c_int32_t
    integer(c_int64_t) :: low(2) = [0_c_int64_t, 0_c_int64_t]
    integer(c_int64_t) :: high(2) = [0_c_int64_t, 0_c_int64_t]
  end type halo_sphere_box

  type, bind(c) :: halo_sphere_desc
    integer(c_size_t) :: struct_size = 64_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: solid = 0_c_int32_t
    integer(c_int64_t) :: n = 1_c_int64_t
    integer(c_int32_t) :: rings(3) = [1_c_int32_t, 1_c_int32_t, 1_c_int32_t]
    integer(c_int32_t) :: parts_per_side = 1_c_int32_t
    type(c_ptr) :: boxes = c_null_ptr
    integer(c_int64_t) :: n_boxes = 0_c_int64_t
    integer(c_int64_t) :: reserved = 0_c_int64_t
  end type halo_sphere_desc

  type, bind(c) :: halo_sphere_part
    integer(c_size_t) :: struct_size = 112_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: parallelogram = 0_c_int32_t
    integer(c_int64_t) :: gid = 0_c_int64_t
    integer(c_int64_t) :: number = 0_c_int64_t
    integer(c_int64_t) :: low(2) = [0_c_int64_t, 0_c_int64_t]
    integer(c_int64_t) :: high(2) = [0_c_int64_t, 0_c_int64_t]
    integer(c_int64_t) :: n_owned(3) = [0_c_int64_t, 0_c_int64_t, 0_c_int64_t]
    integer(c_int64_t) :: n_local(3) = [0_c_int64_t, 0_c_int64_t, 0_c_int64_t]
  end type halo_sphere_part

  type, bind(c) :: halo_cubed_sphere_desc
    integer(c_size_t) :: struct_size = 48_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: parts_per_side = 1_c_int32_t
    integer(c_int64_t) :: n = 1_c_int64_t
    integer(c_int64_t) :: levels = 0_c_int64_t
    type(c_ptr) :: owner = c_null_ptr
    integer(c_int32_t) :: reach = 1_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
  end type halo_cubed_sphere_desc

  type, bind(c) :: halo_latitudes_desc
    integer(c_size_t) :: struct_size = 72_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: poles = 1_c_int32_t
    integer(c_int64_t) :: cells(2) = [2_c_int64_t, 1_c_int64_t]
    integer(c_int64_t) :: parts(2) = [1_c_int64_t, 1_c_int64_t]
    integer(c_int64_t) :: levels = 0_c_int64_t
    type(c_ptr) :: owner = c_null_ptr
    integer(c_int32_t) :: reach = 1_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
  end type halo_latitudes_desc

  type, bind(c) :: halo_reduced_rows_desc
    integer(c_size_t) :: struct_size = 40_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: rings = 1_c_int32_t
    integer(c_int64_t) :: n_rows = 0_c_int64_t
    type(c_ptr) :: cells = c_null_ptr
    integer(c_int32_t) :: poles = 1_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
  end type halo_reduced_rows_desc

  type, bind(c) :: halo_stencil_desc
    integer(c_size_t) :: struct_size = 88_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: n_dims = 3_c_int32_t
    integer(c_int64_t) :: cells(3) = [0_c_int64_t, 0_c_int64_t, 0_c_int64_t]
    integer(c_int32_t) :: order = 0_c_int32_t
    integer(c_int32_t) :: exchanged = 0_c_int32_t
    integer(c_int32_t) :: repeats = 0_c_int32_t
    integer(c_int32_t) :: max_offset = 3_c_int32_t
    real(c_double) :: exchange_cost = 0.0_c_double
    real(c_double) :: value_cost = 0.0_c_double
    type(c_ptr) :: splitters = c_null_ptr
    integer(c_int32_t) :: n_splitters = 0_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
  end type halo_stencil_desc

  type, bind(c) :: halo_stencil_field_desc
    integer(c_size_t) :: struct_size = 32_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: temporary = 0_c_int32_t
    type(c_ptr) :: name = c_null_ptr
    integer(c_int32_t) :: n_components = 1_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
  end type halo_stencil_field_desc

  type, bind(c) :: halo_stencil_access
    integer(c_int32_t) :: field = 0_c_int32_t
    integer(c_int32_t) :: mode = 0_c_int32_t
    integer(c_int32_t) :: low(3) = [0_c_int32_t, 0_c_int32_t, 0_c_int32_t]
    integer(c_int32_t) :: high(3) = [0_c_int32_t, 0_c_int32_t, 0_c_int32_t]
    integer(c_int32_t) :: interval = 0_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
  end type halo_stencil_access

  type, bind(c) :: halo_stencil_level
    integer(c_int32_t) :: splitter = 0_c_int32_t
    integer(c_int32_t) :: offset = 0_c_int32_t
  end type halo_stencil_level

  type, bind(c) :: halo_stencil_interval
    type(halo_stencil_level) :: from = halo_stencil_level(0_c_int32_t, 0_c_int32_t)
    type(halo_stencil_level) :: to = halo_stencil_level(0_c_int32_t, 0_c_int32_t)
  end type halo_stencil_interval

  type, bind(c) :: halo_stencil_stage_desc
    integer(c_size_t) :: struct_size = 64_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: conditional = 0_c_int32_t
    type(c_ptr) :: name = c_null_ptr
    type(c_ptr) :: accesses = c_null_ptr
    integer(c_int32_t) :: n_accesses = 0_c_int32_t
    integer(c_int32_t) :: n_intervals = 0_c_int32_t
    real(c_double) :: work = 0.0_c_double
    type(c_ptr) :: intervals = c_null_ptr
    integer(c_int32_t) :: direction = 0_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
  end type halo_stencil_stage_desc

  type, bind(c) :: halo_stencil_field
    integer(c_size_t) :: struct_size = 72_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: exchanged = 0_c_int32_t
    integer(c_int32_t) :: computed = 0_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
    integer(c_int64_t) :: ghost_low(3) = [0_c_int64_t, 0_c_int64_t, 0_c_int64_t]
    integer(c_int64_t) :: ghost_high(3) = [0_c_int64_t, 0_c_int64_t, 0_c_int64_t]
  end type halo_stencil_field

  type, bind(c) :: halo_stencil_stage
    integer(c_size_t) :: struct_size = 64_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: needed = 0_c_int32_t
    integer(c_int64_t) :: low(3) = [0_c_int64_t, 0_c_int64_t, 0_c_int64_t]
    integer(c_int64_t) :: high(3) = [0_c_int64_t, 0_c_int64_t, 0_c_int64_t]
  end type halo_stencil_stage

  type, bind(c) :: halo_stencil_exchange_row
    integer(c_int32_t) :: field = 0_c_int32_t
    integer(c_int32_t) :: writer = 0_c_int32_t
    integer(c_int32_t) :: start = 0_c_int32_t
    integer(c_int32_t) :: finish = 0_c_int32_t
    integer(c_int32_t) :: group = 0_c_int32_t
    integer(c_int32_t) :: once = 0_c_int32_t
    integer(c_int32_t) :: ahead = 0_c_int32_t
    integer(c_int32_t) :: reserved = 0_c_int32_t
    integer(c_int64_t) :: low(3) = [0_c_int64_t, 0_c_int64_t, 0_c_int64_t]
    integer(c_int64_t) :: high(3) = [0_c_int64_t, 0_c_int64_t, 0_c_int64_t]
    integer(c_int64_t) :: values = 0_c_int64_t
  end type halo_stencil_exchange_row

  type, bind(c) :: halo_stencil_group
    integer(c_int32_t) :: start = 0_c_int32_t
    integer(c_int32_t) :: finish = 0_c_int32_t
    integer(c_int32_t) :: n_fields = 0_c_int32_t
    integer(c_int32_t) :: once = 0_c_int32_t
  end type halo_stencil_group

  type, bind(c) :: halo_stencil_summary
    integer(c_size_t) :: struct_size = 40_c_size_t
    integer(c_int32_t) :: struct_version = 1_c_int32_t
    integer(c_int32_t) :: n_groups = 0_c_int32_t
    integer(c_int64_t) :: values = 0_c_int64_t
    integer(c_int64_t) :: cells_twice = 0_c_int64_t
    real(c_double) :: cost = 0.0_c_double
  end type halo_stencil_summary

  type, bind(c) :: halo_stencil_loop
    type(halo_stencil_interval) :: interval = halo_stencil_interval(halo_stencil_level(0_c_int32_t, 0_c_int32_t), &
      halo_stencil_level(0_c_int32_t, 0_c_int32_t))
    integer(c_int64_t) :: first = 0_c_int64_t
    integer(c_int64_t) :: last = 0_c_int64_t
  end type halo_stencil_loop

  type, bind(c) :: halo_stencil_range
    integer(c_int64_t) :: first = 0_c_int64_t
    integer(c_int64_t) :: last = 0_c_int64_t
    integer(c_int64_t) :: low(3) = [0_c_int64_t, 0_c_int64_t, 0_c_int64_t]
    integer(c_int64_t) :: high(3) = [0_c_int64_t, 0_c_int64_t, 0_c_int64_t]
  end type halo_stencil_range

  ! Functions that the caller gives, by c_funloc. Texts are C's.
  abstract interface
    subroutine halo_log_fn(user, level, text) bind(c)
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: user
      integer(c_int32_t), value :: level
      type(c_ptr), value :: text
    end subroutine halo_log_fn
    function halo_allocator_allocate(user, bytes) bind(c) result(answer)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: user
      integer(c_size_t), value :: bytes
      type(c_ptr) :: answer
    end function halo_allocator_allocate
    subroutine halo_allocator_release(user, pointer, bytes) bind(c)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: user
      type(c_ptr), value :: pointer
      integer(c_size_t), value :: bytes
    end subroutine halo_allocator_release
    function halo_bootstrap_allgather(user, mine, bytes, all) bind(c) result(answer)
      import :: c_int32_t, c_ptr, c_size_t
      type(c_ptr), value :: user
      type(c_ptr), value :: mine
      integer(c_size_t), value :: bytes
      type(c_ptr), value :: all
      integer(c_int32_t) :: answer
    end function halo_bootstrap_allgather
    function halo_owner_fn(user, key) bind(c) result(answer)
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: user
      integer(c_int64_t), value :: key
      integer(c_int32_t) :: answer
    end function halo_owner_fn
    function halo_arrival_fn(user, arrival) bind(c) result(answer)
      import :: c_int32_t, c_ptr, halo_arrival
      type(c_ptr), value :: user
      type(halo_arrival), intent(in) :: arrival
      integer(c_int32_t) :: answer
    end function halo_arrival_fn
    function halo_combine_fn(user, values, contributions, n, type, element_bytes) bind(c) result(answer)
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: user
      type(c_ptr), value :: values
      type(c_ptr), value :: contributions
      integer(c_int64_t), value :: n
      integer(c_int32_t), value :: type
      integer(c_int64_t), value :: element_bytes
      integer(c_int32_t) :: answer
    end function halo_combine_fn
    function halo_channel_allocator_allocate(user, key, bytes) bind(c) result(answer)
      import :: c_ptr, c_size_t, halo_channel_key
      type(c_ptr), value :: user
      type(halo_channel_key), intent(in) :: key
      integer(c_size_t), value :: bytes
      type(c_ptr) :: answer
    end function halo_channel_allocator_allocate
    subroutine halo_channel_allocator_release(user, key, pointer, bytes) bind(c)
      import :: c_ptr, c_size_t, halo_channel_key
      type(c_ptr), value :: user
      type(halo_channel_key), intent(in) :: key
      type(c_ptr), value :: pointer
      integer(c_size_t), value :: bytes
    end subroutine halo_channel_allocator_release
  end interface
end module halo_types
