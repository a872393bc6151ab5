// How long the shared memory of a block must live: until the block knows that its peers are through with it.
#pragma once

namespace plusmax::simt::race {

// The running thread has accessed the shared memory of another block.
void note_peer_access(unsigned rank);
void forget_peers();

}  // namespace plusmax::simt::race
