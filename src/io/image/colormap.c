#include "io/image/colormap.h"

#include "base/error.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Colors at equal distances from 0 to 1, each with six hexadecimal digits. viridis and magma are by Nathaniel
 * Smith, Stefan van der Walt and (viridis) Eric Firing, published with matplotlib under CC0. coolwarm is
 * computed from Moreland, "Diverging Color Maps for Scientific Visualization" (2009): Msh space between (59,
 * 76, 192) and (180, 4, 38), at 33 points. */
static const char viridis[] =
    "44015444025645045745055946075a46085c460a5d460b5e470d60470e6147106347116447136548146748166848176948186a481a6c"
    "481b6d481c6e481d6f481f70482071482173482374482475482576482677482878482979472a7a472c7a472d7b472e7c472f7d46307e"
    "46327e46337f463480453581453781453882443983443a83443b84433d84433e85423f85424086424186414287414487404588404688"
    "3f47883f48893e49893e4a893e4c8a3d4d8a3d4e8a3c4f8a3c508b3b518b3b528b3a538b3a548c39558c39568c38588c38598c375a8c"
    "375b8d365c8d365d8d355e8d355f8d34608d34618d33628d33638d32648e32658e31668e31678e31688e30698e306a8e2f6b8e2f6c8e"
    "2e6d8e2e6e8e2e6f8e2d708e2d718e2c718e2c728e2c738e2b748e2b758e2a768e2a778e2a788e29798e297a8e297b8e287c8e287d8e"
    "277e8e277f8e27808e26818e26828e26828e25838e25848e25858e24868e24878e23888e23898e238a8d228b8d228c8d228d8d218e8d"
    "218f8d21908d21918c20928c20928c20938c1f948c1f958b1f968b1f978b1f988b1f998a1f9a8a1e9b8a1e9c891e9d891f9e891f9f88"
    "1fa0881fa1881fa1871fa28720a38620a48621a58521a68522a78522a88423a98324aa8325ab8225ac8226ad8127ad8128ae8029af7f"
    "2ab07f2cb17e2db27d2eb37c2fb47c31b57b32b67a34b67935b77937b87838b9773aba763bbb753dbc743fbc7340bd7242be7144bf70"
    "46c06f48c16e4ac16d4cc26c4ec36b50c46a52c56954c56856c66758c7655ac8645cc8635ec96260ca6063cb5f65cb5e67cc5c69cd5b"
    "6ccd5a6ece5870cf5773d05675d05477d1537ad1517cd2507fd34e81d34d84d44b86d54989d5488bd6468ed64590d74393d74195d840"
    "98d83e9bd93c9dd93ba0da39a2da37a5db36a8db34aadc32addc30b0dd2fb2dd2db5de2bb8de29bade28bddf26c0df25c2df23c5e021"
    "c8e020cae11fcde11dd0e11cd2e21bd5e21ad8e219dae319dde318dfe318e2e418e5e419e7e419eae51aece51befe51cf1e51df4e61e"
    "f6e620f8e621fbe723fde725";

static const char magma[] =
    "00000401000501010601010802010902020b02020d03030f03031204041405041606051806051a07061c08071e0907200a08220b0924"
    "0c09260d0a290e0b2b100b2d110c2f120d31130d34140e36150e38160f3b180f3d19103f1a10421c10441d11471e114920114b21114e"
    "22115024125325125527125829115a2a115c2c115f2d11612f116331116533106734106936106b38106c390f6e3b0f703d0f713f0f72"
    "400f74420f75440f764510774710784910784a10794c117a4e117b4f127b51127c52137c54137d56147d57157e59157e5a167e5c167f"
    "5d177f5f187f601880621980641a80651a80671b80681c816a1c816b1d816d1d816e1e81701f81721f81732081752181762181782281"
    "7922827b23827c23827e24828025828125818326818426818627818827818928818b29818c29818e2a81902a81912b81932b80942c80"
    "962c80982d80992d809b2e7f9c2e7f9e2f7fa02f7fa1307ea3307ea5317ea6317da8327daa337dab337cad347cae347bb0357bb2357b"
    "b3367ab5367ab73779b83779ba3878bc3978bd3977bf3a77c03a76c23b75c43c75c53c74c73d73c83e73ca3e72cc3f71cd4071cf4070"
    "d0416fd2426fd3436ed5446dd6456cd8456cd9466bdb476adc4869de4968df4a68e04c67e24d66e34e65e44f64e55064e75263e85362"
    "e95462ea5661eb5760ec5860ed5a5fee5b5eef5d5ef05f5ef1605df2625df2645cf3655cf4675cf4695cf56b5cf66c5cf66e5cf7705c"
    "f7725cf8745cf8765cf9785df9795df97b5dfa7d5efa7f5efa815ffb835ffb8560fb8761fc8961fc8a62fc8c63fc8e64fc9065fd9266"
    "fd9467fd9668fd9869fd9a6afd9b6bfe9d6cfe9f6dfea16efea36ffea571fea772fea973feaa74feac76feae77feb078feb27afeb47b"
    "feb67cfeb77efeb97ffebb81febd82febf84fec185fec287fec488fec68afec88cfeca8dfecc8ffecd90fecf92fed194fed395fed597"
    "fed799fed89afdda9cfddc9efddea0fde0a1fde2a3fde3a5fde5a7fde7a9fde9aafdebacfcecaefceeb0fcf0b2fcf2b4fcf4b6fcf6b8"
    "fcf7b9fcf9bbfcfbbdfcfdbf";

static const char coolwarm[] =
    "3b4cc0445acc4e68d75875e16282ea6c8ef1779af782a5fb8db0fe98b9ffa3c2feaec9fdb8d0f9c2d5f4ccd9eed5dbe6dddddde5d8d1"
    "ecd3c6f1ccb9f5c4adf7bba0f7b194f7a687f49a7bf18d6fec7f63e57057de614cd55042cb3e38c0282fb40426";

static const char gray[] = "000000ffffff";

struct Colormap {
    const char *name;
    const char *colors;
    int count;
    bool steps; /* one color for each of `count` equal intervals; else linear interpolation */
};

#define COLORS(table) table, (int)(sizeof table / 6)
static const Colormap maps[] = {
    {"viridis", COLORS(viridis), true},
    {"magma", COLORS(magma), true},
    {"gray", COLORS(gray), false},
    {"coolwarm", COLORS(coolwarm), false},
};

const Colormap *colormap_find(const char *name)
{
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++) {
        if (strcmp(maps[i].name, name) == 0) {
            return &maps[i];
        }
    }
    error_set("unknown colormap '%.60s': expected %s, %s, %s or %s", name, maps[0].name, maps[1].name, maps[2].name,
              maps[3].name);
    return NULL;
}

const char *colormap_name(size_t i)
{
    return i < sizeof maps / sizeof maps[0] ? maps[i].name : NULL;
}

static int digit(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

static double channel(const Colormap *map, int color, int channel_index)
{
    const char *digits = map->colors + 6 * color + 2 * channel_index;
    return (16 * digit(digits[0]) + digit(digits[1])) / 255.0;
}

void colormap_sample(const Colormap *map, double t, double rgb[3])
{
    t = t > 0 ? fmin(t, 1) : 0;
    double place = map->steps ? floor(t * map->count) : t * (map->count - 1);
    int low = (int)fmin(place, map->count - 1);
    int high = low + 1 < map->count ? low + 1 : low;
    double part = map->steps ? 0 : place - low;
    for (int i = 0; i < 3; i++) {
        rgb[i] = channel(map, low, i) * (1 - part) + channel(map, high, i) * part;
    }
}
