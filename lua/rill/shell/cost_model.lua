-- The cost model of Buck et al., "Brook for GPUs" (2004), section 5.2. A program transfers its data to the device, runs
-- a kernel and transfers the results back. A CPU that does the same work transfers nothing:
--     T_gpu = T_r + K_gpu        T_cpu = K_cpu        s = K_cpu / K_gpu        gamma = K_gpu / T_r
-- The device is faster if T_r < K_cpu - K_gpu, which is equivalent to gamma > 1 / (s - 1).

--- Returns a table with the predictions of the model. Parameters, in seconds: a launch on the device (gpu), a launch on
-- the CPU (cpu, or nil), and the transfers. Fields: intensity; and if cpu is given, speedup, worthwhile (true if the
-- device is faster including the transfers) and break_even, the number of launches per transfer from which the device
-- is faster (infinite if it never is).
return function(gpu, cpu, transfer)
    local intensity = transfer > 0 and gpu / transfer or math.huge
    if not cpu then
        return {intensity = intensity}
    end
    local gain = cpu - gpu
    return {
        speedup = cpu / gpu, intensity = intensity, worthwhile = transfer < gain,
        break_even = gain > 0 and transfer / gain or math.huge,
    }
end
