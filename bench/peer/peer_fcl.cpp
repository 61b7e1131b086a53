// libfcl's side of bench/geometry.lua: all pairs of triangles of two meshes, by trees of OBBRSS, one thread. The trees are built before timing. The protocol is described
// in bench/support/pipe.lua. The inputs are positions (a_positions, b_positions), triangles, and a rigid motion of the second mesh, 16 floats by rows.
#include "pipe.hpp"

#include <fcl/fcl.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Model = fcl::BVHModel<fcl::OBBRSS<double>>;

std::map<std::string, std::vector<float>> numbers;
std::map<std::string, std::vector<int32_t>> indices;
std::map<std::string, std::shared_ptr<Model>> models;

std::shared_ptr<Model> model(const std::string &name)
{
    auto &made = models[name];
    if (!made) {
        const auto &p = numbers[name + "_positions"];
        const auto &t = indices[name + "_triangles"];
        std::vector<fcl::Vector3<double>> vertices;
        std::vector<fcl::Triangle> triangles;
        for (size_t i = 0; i + 2 < p.size(); i += 3) {
            vertices.emplace_back(p[i], p[i + 1], p[i + 2]);
        }
        for (size_t i = 0; i + 2 < t.size(); i += 3) {
            triangles.emplace_back(size_t(t[i]), size_t(t[i + 1]), size_t(t[i + 2]));
        }
        made = std::make_shared<Model>();
        made->beginModel();
        made->addSubModel(vertices, triangles);
        made->endModel();
    }
    return made;
}

std::string answer(const std::string &line)
{
    std::istringstream words(line);
    std::string verb, name, type, shape, path;
    words >> verb >> name;
    if (verb == "give") {
        words >> type >> shape >> path;
        type[0] == 'i' ? load(indices[name], path) : load(numbers[name], path);
        models.clear();
        return "ok";
    }
    auto a = model("a"), b = model("b");
    fcl::Transform3<double> motion = fcl::Transform3<double>::Identity();
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            motion.linear()(r, c) = numbers["motion"][static_cast<size_t>(4 * r + c)];
        }
        motion.translation()[r] = numbers["motion"][static_cast<size_t>(4 * r + 3)];
    }
    fcl::CollisionRequest<double> request(name == "pairs" ? 10000000 : 1, false);
    fcl::CollisionResult<double> result;
    auto start = std::chrono::steady_clock::now();
    fcl::collide(a.get(), fcl::Transform3<double>::Identity(), b.get(), motion, request, result);
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (verb == "time") {
        return std::to_string(seconds.count());
    }
    words >> path;
    int32_t count = static_cast<int32_t>(result.numContacts());
    std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char *>(&count), sizeof count);
    return "int 1";
}

} // namespace

int main()
{
    serve(std::string("libfcl ") + FCL_VERSION + ", OBBRSS, one thread", answer);
}
