import { afterEach, expect, test } from "vitest";
import type { Agent } from "./agent.ts";
import type { Journal } from "./journal/journal.ts";
import { createAgentMetrics, MetricsPortTaken, serveMetrics } from "./metrics.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

/** Two machines, of which one answers and is watched by two. */
function agent(): Agent {
  const stats = [{ codec: "h264", bitrate: 4_000_000, encoded: 90, skipped: 2, keyFrames: 1, encodeMs: 6 }];
  const broadcast = { viewers: () => [{}, {}], stats: () => stats };
  const line = () => ({ polls: 900, late: 3, failed: 1 });
  return {
    linked: () => true,
    machine: (id: string) => ({ opened: () => (id === "nar-01" ? { broadcast, line } : undefined) }),
  } as unknown as Agent;
}

test("machines, viewers, encoders, presses and the journal are told", async () => {
  const metrics = createAgentMetrics();
  metrics.watch(agent(), ["nar-01", "nar-02"], { restarts: () => 2, memory: () => 3_000, fellBack: () => true });
  const fails = { append: async () => Promise.reject(new Error("no space")) } as unknown as Journal;
  const works = { append: async () => {} } as unknown as Journal;
  await metrics.journal(works).append();
  await metrics.journal(works).append();
  await expect(metrics.journal(fails).append()).rejects.toThrow("no space");
  for (const outcome of ["started", "refused", "started", undefined]) metrics.pressed(outcome);
  const text = await metrics.registry.metrics();
  for (const line of [
    "longarm_agent_linked 1",
    'longarm_agent_machines{state="open"} 1',
    'longarm_agent_machines{state="silent"} 1',
    'longarm_agent_viewers{machine="nar-01"} 2',
    'longarm_agent_viewers{machine="nar-02"} 0',
    'longarm_agent_bitrate{machine="nar-01",codec="h264"} 4000000',
    'longarm_agent_encode_seconds{machine="nar-01",codec="h264"} 0.006',
    'longarm_agent_frames{machine="nar-01",codec="h264"} 90',
    'longarm_agent_presses_total{outcome="started"} 2',
    'longarm_agent_presses_total{outcome="silent"} 1',
    'longarm_agent_line_polls{machine="nar-01",state="sent"} 900',
    'longarm_agent_line_polls{machine="nar-01",state="late"} 3',
    'longarm_agent_line_polls{machine="nar-01",state="failed"} 1',
    "longarm_agent_journal_seconds_count 2",
    "longarm_agent_journal_failures_total 1",
    "longarm_agent_media_restarts_total 2",
    "longarm_agent_media_memory_bytes 3000",
    "longarm_agent_encoder_fell_back 1",
  ])
    expect(text.split("\n")).toContain(line);
});

test("they are served to this computer alone, under its own name", async () => {
  const { registry } = createAgentMetrics();
  const served = await serveMetrics(registry, 0);
  open.push(served);
  const href = `http://127.0.0.1:${served.port}`;
  expect(await (await fetch(`${href}/metrics`)).text()).toContain("longarm_agent_journal_failures_total 0");
  expect((await fetch(`${href}/`)).status).toBe(404);
  expect((await fetch(`${href}/metrics`, { method: "POST" })).status).toBe(404);
  const { request } = await import("node:http");
  const bent = await new Promise((answered) =>
    request(`${href}/metrics`, { headers: { host: "evil.example" } }, ({ statusCode }) => answered(statusCode)).end(),
  );
  expect(bent).toBe(404);
  await expect(serveMetrics(registry, served.port)).rejects.toThrow(MetricsPortTaken);
});
