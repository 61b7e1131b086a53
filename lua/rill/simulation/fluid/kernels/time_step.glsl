$use(fluid_grid)
reduce void fastest(float x<>, reduce float most<>) { most = max(most, x); }
kernel float rate($for(c, components){float u$c.k<>,} $V per) { float most = 0.0; $for(c, components){most = max(most, per.$c.axis * abs(u$c.k));} return most; }
kernel float pull($V push<>, $V per) { float most = 0.0; $for(c, components){most = max(most, per.$c.axis * abs(push.$c.axis));} return most; }
kernel void tick(float cfl, float sides, float rest, float most, float rate<>, float pull<>, inout double time<>,
    out float dt<>) {
    float fast = max(rate, sides) + sqrt(cfl * pull);
    dt = min(fast > 0.0 ? cfl / fast : rest, most);
    time += double(dt);
}
