// Embree's side of bench/embree.lua, bench/ray.lua and bench/distance.lua: the nearest hits of rays, in robust mode, by rtcIntersect1, and the distances of
// points, by rtcPointQuery and a callback that computes the nearest point of a triangle in floats. "rays", "points": on all threads of the machine. "rays_one",
// "points_one": on one thread, in processor time, which other load changes less. The tree is built before timing.
// The protocol is described in bench/support/pipe.lua. The inputs are positions, triangles, origins and directions; the origins are the points.
#include "pipe.hpp"

#include <embree3/rtcore.h>

#include <algorithm>
#include <chrono>
#include <cmath>
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

struct Vector {
    float x, y, z;
};

Vector operator-(Vector a, Vector b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
Vector operator+(Vector a, Vector b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
Vector operator*(float s, Vector a)
{
    return {s * a.x, s * a.y, s * a.z};
}
float dot(Vector a, Vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// The nearest point of a triangle, by the region of its plane in which the point is (C. Ericson, Real-Time Collision Detection, 2005, section 5.1.5).
Vector nearest(Vector p, Vector a, Vector b, Vector c)
{
    Vector ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
    float d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp), d5 = dot(ab, cp), d6 = dot(ac, cp);
    float va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    if (d1 <= 0 && d2 <= 0) {
        return a;
    }
    if (d3 >= 0 && d4 <= d3) {
        return b;
    }
    if (d6 >= 0 && d5 <= d6) {
        return c;
    }
    if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        return a + d1 / (d1 - d3) * ab;
    }
    if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        return a + d2 / (d2 - d6) * ac;
    }
    if (va <= 0 && d4 >= d3 && d5 >= d6) {
        return b + (d4 - d3) / (d4 - d3 + d5 - d6) * (c - b);
    }
    float all = 1 / (va + vb + vc);
    return a + vb * all * ab + vc * all * ac;
}

const Vector *positions = nullptr;
const uint32_t *triangles = nullptr;

bool reach(RTCPointQueryFunctionArguments *args)
{
    const uint32_t *t = triangles + 3 * args->primID;
    Vector p = {args->query->x, args->query->y, args->query->z};
    Vector d = nearest(p, positions[t[0]], positions[t[1]], positions[t[2]]) - p;
    float distance = std::sqrt(dot(d, d));
    if (distance < args->query->radius) {
        args->query->radius = distance;
        return true;
    }
    return false;
}

void measure(size_t from, size_t to)
{
    const float *p = reinterpret_cast<const float *>(data["origins"].data());
    for (size_t i = from; i < to; i++) {
        RTCPointQueryContext context;
        rtcInitPointQueryContext(&context);
        RTCPointQuery query = {p[3 * i], p[3 * i + 1], p[3 * i + 2], 0, std::numeric_limits<float>::infinity()};
        rtcPointQuery(scene, &query, &context, reach, nullptr);
        distances[i] = query.radius;
    }
}

void run_all(void (*run)(size_t, size_t), size_t threads)
{
    size_t count = distances.size();
    std::vector<std::thread> running;
    for (size_t k = 0; k < threads; k++) {
        running.emplace_back(run, k * count / threads, (k + 1) * count / threads);
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
    bool one = name == "rays_one" || name == "points_one", points = name == "points" || name == "points_one";
    if (name != "rays" && !one && !points && name != "build") {
        return "error: no case " + name;
    }
    auto start = std::chrono::steady_clock::now();
    std::clock_t began = std::clock();
    if (name == "build") {
        build();
    } else {
        distances.resize(data["origins"].size() / 12);
        positions = reinterpret_cast<const Vector *>(data["positions"].data());
        triangles = reinterpret_cast<const uint32_t *>(data["triangles"].data());
        run_all(points ? measure : trace, one ? 1 : std::max(1u, std::thread::hardware_concurrency()));
    }
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    double processor = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
    if (verb == "time") {
        return std::to_string(one ? processor : seconds.count());
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
