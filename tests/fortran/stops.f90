! SPDX-License-Identifier: BSD-3-Clause
program stops
  use halo
  implicit none
  type(halo_context) :: context
  call context%create()
  call context%set("timeout", "soon")
  print "(a)", "went on"
end program stops
