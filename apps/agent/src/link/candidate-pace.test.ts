import { expect, test } from "vitest";
import { CANDIDATES_PER_SECOND, paceCandidates } from "../agent.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import type { AgentNotify } from "./agent-peer.ts";

test("a flood of candidates is cut off within the second; everything else passes", () => {
  const clock = fakeClock();
  const told: string[] = [];
  const notify = paceCandidates(((method: string) => void told.push(method)) as AgentNotify, clock);
  const candidate = { machineId: "nar-01", viewerId: "v_1", candidate: "candidate:1", sdpMid: "0" };
  const flood = () => {
    for (let count = 0; count < CANDIDATES_PER_SECOND * 3; count += 1) notify("rtc.candidate", candidate);
  };
  flood();
  expect(told).toHaveLength(CANDIDATES_PER_SECOND);
  notify("machine", { id: "nar-01", state: "idle" });
  expect(told.at(-1)).toBe("machine");
  clock.advance(1_000);
  flood();
  expect(told).toHaveLength(2 * CANDIDATES_PER_SECOND + 1);
});
