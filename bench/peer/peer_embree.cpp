// Embree's side of bench/embree.lua and bench/ray.lua: the nearest hits of rays, in robust mode, by rtcIntersect1. "rays": on all threads of the machine. "rays_one":
// on one thread, in processor time, which other load changes less. The tree is built before timing.
// The protocol is described in bench/support/pipe.lua. The inputs are positions, triangles, origins and directions.
#include "pipe.hpp"

#include <embree3/rtcore.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

const RTCDevice device = rtcNewDevice(nullptr);
RTCScene scene = nullptr;
std::map<std::string, std::vector<char>> data;
std::vector<float> distances;

void fill(RTCGeometry geometry, RTCBufferType type, RTCFormat format, const std::vector<char> &from)
{
    void *to = rtcSetNewGeometryBuffer(geometry, type, 0, format, 12, from.size() / 12);
    std::memcpy(to, from.data(), from.size());
}

void build()
{
    if (scene) {
        rtcReleaseScene(scene);
    }
    scene = rtcNewScene(device);
    rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    fill(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT3, data["positions"]);
    fill(geometry, RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT3, data["triangles"]);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(scene);
}

void trace(size_t from, size_t to)
{
    const float *o = reinterpret_cast<const float *>(data["origins"].data());
    const float *d = reinterpret_cast<const float *>(data["directions"].data());
    for (size_t i = from; i < to; i++) {
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        RTCRayHit ray = {};
        ray.ray.org_x = o[3 * i], ray.ray.org_y = o[3 * i + 1], ray.ray.org_z = o[3 * i + 2];
        ray.ray.dir_x = d[3 * i], ray.ray.dir_y = d[3 * i + 1], ray.ray.dir_z = d[3 * i + 2];
        ray.ray.tfar = std::numeric_limits<float>::infinity();
        ray.ray.mask = ~0u;
        ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
        rtcIntersect1(scene, &context, &ray);
        distances[i] = ray.ray.tfar;
    }
}

void trace_all(size_t threads)
{
    size_t count = distances.size();
    std::vector<std::thread> running;
    for (size_t k = 0; k < threads; k++) {
        running.emplace_back(trace, k * count / threads, (k + 1) * count / threads);
    }
    for (auto &thread : running) {
        thread.join();
    }
}

std::string answer(const std::string &line)
{
    std::istringstream words(line);
    std::string verb, name, type, shape, path;
    words >> verb >> name;
    if (verb == "give") {
        words >> type >> shape >> path;
        load(data[name], path);
        return "ok";
    }
    if (name != "rays" && name != "rays_one" && name != "build") {
        return "error: no case " + name;
    }
    auto start = std::chrono::steady_clock::now();
    std::clock_t began = std::clock();
    if (name == "build") {
        build();
    } else {
        distances.resize(data["origins"].size() / 12);
        trace_all(name == "rays_one" ? 1 : std::max(1u, std::thread::hardware_concurrency()));
    }
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    double processor = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
    if (verb == "time") {
        return std::to_string(name == "rays_one" ? processor : seconds.count());
    }
    words >> path;
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char *>(distances.data()), static_cast<std::streamsize>(4 * distances.size()));
    return "float " + std::to_string(distances.size());
}

} // namespace

int main()
{
    serve(std::string("Embree ") + RTC_VERSION_STRING, answer);
}
