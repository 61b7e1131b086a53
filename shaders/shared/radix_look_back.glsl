// Sums the counts of the tiles before a tile, while the groups of these tiles may still run
// (decoupled look-back; Merrill and Garland, 2016). A group publishes its counts, and later the sums
// up to its tile: the upper two bits of a word say which of them the word contains. If a tile has not
// published its counts after LOOK_BACK_TRIES attempts, the group counts the keys of that tile itself
// (Smith, Levien and Owens, decoupled fallback, 2025). The result is therefore correct even if groups
// that wait keep other groups from running.
const uint LOOK_BACK_COUNT = 1u << 30, LOOK_BACK_SUM = 2u << 30, LOOK_BACK_VALUE = LOOK_BACK_COUNT - 1u;
const int LOOK_BACK_TRIES = 4096;

// The next tile whose count of the invocation's digit is missing, or -1, and the sum of the counts
// of the tiles after it.
int look_back_tile;
uint look_back_sum;

uint look_back_word(int tile)
{
    return uint(int(PARAMETER(RADIX_P_STATUS)) + tile * 256) + gl_LocalInvocationID.x;
}

void look_back_publish(int tile, uint count)
{
    bool whole = look_back_tile < 0;
    atomicExchange(counts[look_back_word(tile)], whole ? LOOK_BACK_SUM | look_back_sum + count : LOOK_BACK_COUNT | count);
}

void look_back_wait(int tries)
{
    while (look_back_tile >= 0 && tries > 0) {
        uint word = atomicAdd(counts[look_back_word(look_back_tile)], 0u);
        if (word < LOOK_BACK_COUNT) {
            tries--;
        } else {
            look_back_sum += word & LOOK_BACK_VALUE;
            look_back_tile = word < LOOK_BACK_SUM ? look_back_tile - 1 : -1;
        }
    }
}

// Begins to sum the counts before `tile`, which has `count` keys with the invocation's digit.
void look_back(int tile, uint count)
{
    look_back_tile = tile - 1;
    look_back_sum = 0u;
    look_back_publish(tile, count);
    if (tile > 0) {
        look_back_wait(LOOK_BACK_TRIES);
        if (look_back_tile < 0) {
            look_back_publish(tile, count);
        }
    }
}

// Ends the sums of the invocations that still wait. The whole group calls it after a barrier, when
// tile_counts is not used any more.
void look_back_finish(int tile, uint count)
{
    uint t = gl_LocalInvocationID.x;
    bool waited = look_back_tile >= 0;
    for (int round = 0; round < tile; round++) {
        barrier();
        tile_counts[t] = 0u;
        if (t == 0u) {
            tile_counts[256] = 0u;
        }
        barrier();
        if (look_back_tile >= 0) {
            atomicMax(tile_counts[256], uint(look_back_tile) + 1u);
        }
        barrier();
        int other = int(tile_counts[256]) - 1;
        if (other < 0) {
            break;
        }
        int keys = min(TILE, ROW_LENGTH - other * TILE);
        for (int i = int(t); i < keys; i += 256) {
            atomicAdd(tile_counts[radix_digit(radix_key(other * TILE + i), PARAMETER(RADIX_P_SHIFT))], 1u);
        }
        barrier();
        if (look_back_tile == other) {
            look_back_sum += tile_counts[t];
            look_back_tile--;
            look_back_wait(1);
        }
    }
    if (waited) {
        look_back_publish(tile, count);
    }
}
