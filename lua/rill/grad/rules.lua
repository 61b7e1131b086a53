-- The rules of operations for gradients. Each file of lua/rill/grad/rules defines those of a group (tape.rule).
for _, name in ipairs {
    "transfer", "reduction", "scan", "indexed", "order", "products", "transforms", "convolution", "sparse", "solvers",
} do
    require("rill.grad.rules." .. name)
end
