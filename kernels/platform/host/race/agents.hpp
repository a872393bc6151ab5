// Asynchronous copies as accesses of agents of their own: the issue is before the copy, the copy before what waits for
// it.
#pragma once

namespace plusmax::simt::race {

void forget_agents();  // another cluster begins

}  // namespace plusmax::simt::race
