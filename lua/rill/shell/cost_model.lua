-- The model of Buck et al., "Brook for GPUs" (2004), section 5.2. A program takes its data to the device, runs a kernel over it, and takes the
-- results back; a processor that does the same work transfers nothing:
--     T_gpu = T_r + K_gpu        T_cpu = K_cpu        s = K_cpu / K_gpu        gamma = K_gpu / T_r
-- so the device wins where T_r < K_cpu - K_gpu, which is gamma > 1 / (s - 1).

--- From seconds of a launch on the device (gpu) and on the processor (cpu, or nil), and of the transfers: speedup, intensity, whether the device
-- wins, and from how many launches on one transfer on it does: break_even, infinite where it never will. What needs `cpu` is nil without it.
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
