import { beforeEach, expect, test, vi } from "vitest";
import { openJournal } from "../journal/journal.ts";
import type { AgentPeer } from "../link/agent-peer.ts";
import { createMachineQueue } from "../machine/machine-queue.ts";
import { PlacesTaken } from "../ports/transport.ts";
import { createRateLimit } from "../rate-limit.ts";
import type { FakeBroadcast } from "../testing/fake-broadcast.ts";
import { fakeBroadcast } from "../testing/fake-broadcast.ts";
import { fakeClock, settle } from "../testing/fake-clock.ts";
import type { FakeMachine } from "../testing/fake-machine.ts";
import { fakeMachine } from "../testing/fake-machine.ts";
import { memoryFiles } from "../testing/memory-files.ts";
import type { Grants } from "./grants.ts";
import { createGrants } from "./grants.ts";
import { createPressGuard } from "./press-guard.ts";
import type { ViewerOffer, Viewers } from "./viewers.ts";
import { createViewers, GRANT_WITHIN_MS, STAFF_VIEWERS_MAX } from "./viewers.ts";

const CANDIDATES_MAX = 40;
const clock = fakeClock();
const platform: Pick<AgentPeer, "notify"> = { notify: (method, data) => void told.push({ method, data }) };
let broadcast: FakeBroadcast;
let grants: Grants;
let machine: FakeMachine;
let viewers: Viewers;
let staff: Set<string>;
let told: { method: string; data: unknown }[];

beforeEach(async () => {
  broadcast = fakeBroadcast();
  machine = fakeMachine();
  told = [];
  const journal = await openJournal({ files: memoryFiles(), folder: "/j" });
  grants = createGrants({ machineId: "nar-01", journal, clock });
  const egm = machine.connect();
  const pressGuard = createPressGuard({
    memory: { waiting: [], lastSeq: 0 },
    egm,
    grants,
    queue: createMachineQueue(),
    clock,
    wagerObstacle: () => undefined,
    picturedAt: () => undefined,
  });
  const candidates = createRateLimit(clock, CANDIDATES_MAX, CANDIDATES_MAX);
  staff = new Set();
  viewers = createViewers({ machineId: "nar-01", broadcast, grants, clock, pressGuard, candidates, staff });
  viewers.reportTo(platform);
  await grants.grant({ epoch: 2, playSessionId: "ps_1", leaseMs: 60_000 });
});

const offer = (more: Partial<ViewerOffer> = {}): ViewerOffer => ({
  viewerId: "v_1",
  role: "player",
  epoch: 2,
  sdp: "offer",
  iceServers: [],
  ...more,
});
const states = () =>
  told.filter(({ method }) => method === "viewers").map(({ data }) => (data as { state: string }).state);

test("a player's offer is answered and its presses reach the machine", async () => {
  expect(await viewers.offer(offer({ framesPerSecond: 24 }))).toEqual({ is: "done", data: { sdp: "answer to offer" } });
  const { request } = broadcast.joined[0]!;
  expect(request.framesPerSecond).toBe(24);
  request.connected?.();
  const press = { epoch: 2, seq: 1, button: "spin", at: clock.now(), stake: 100 };
  const reply = await request.presses!.receive(new TextEncoder().encode(JSON.stringify(press)));
  expect(JSON.parse(new TextDecoder().decode(reply!))).toEqual({ seq: 1, outcome: "started", at: clock.now() });
  expect(states()).toEqual(["connecting", "connected"]);
  request.closed?.("gone");
  expect(told.at(-1)?.data).toEqual({ machineId: "nar-01", viewerId: "v_1", state: "closed", count: 0 });
});

test("a spectator's presses are not even answered", async () => {
  await viewers.offer(offer({ role: "spectator", epoch: 2 }));
  expect(broadcast.joined[0]!.request.presses).toBeNull();
});

test("consoles have a few places on the whole agent, without a seat, and give them back", async () => {
  for (let at = 1; at < STAFF_VIEWERS_MAX; at++) staff.add(`nar-02 v_${at}`);
  const joined = (viewerId: string) => viewers.offer(offer({ viewerId, role: "staff", epoch: undefined }));
  expect(await joined("v_desk")).toMatchObject({ is: "done" });
  expect(broadcast.joined[0]!.request).toMatchObject({ role: "staff", presses: null });
  expect(await joined("v_late")).toMatchObject({ is: "refused", problem: { name: "spectators.full" } });
  // The same console again, as after a break of its network.
  expect(await joined("v_desk")).toMatchObject({ is: "done" });
  await viewers.close("v_desk");
  expect(await joined("v_late")).toMatchObject({ is: "done" });
  expect(staff.size).toBe(STAFF_VIEWERS_MAX);
  await viewers.end();
  expect(staff.size).toBe(STAFF_VIEWERS_MAX - 1);
});

test("where the machine has no free place, the answer says so and the agent's place is given back", async () => {
  vi.spyOn(broadcast, "addViewer").mockRejectedValueOnce(new PlacesTaken());
  const answer = await viewers.offer(offer({ viewerId: "v_desk", role: "staff", epoch: undefined }));
  expect(answer).toMatchObject({ is: "refused", problem: { name: "spectators.full" } });
  expect(staff.size).toBe(0);
});

test.each([undefined, 1])("a player's offer of epoch %s is refused", async (epoch) => {
  const answer = await viewers.offer(offer({ epoch }));
  expect(answer).toMatchObject({ is: "refused", problem: { name: "seat.stale_epoch" } });
  expect(broadcast.joined).toEqual([]);
});

test("an offer right behind its grant is answered while the grant is still written, and none of another epoch", async () => {
  const granting = grants.grant({ epoch: 3, playSessionId: "ps_2", leaseMs: 60_000 });
  expect(grants.check(3), "no press passes yet").toBe("seat not granted");
  expect(await viewers.offer(offer({ epoch: 2 }))).toMatchObject({ is: "refused" });
  const answer = viewers.offer(offer({ viewerId: "v_3", epoch: 3 }));
  expect(await answer).toMatchObject({ is: "done" });
  await granting;
  await grants.revoke(3);
  expect(await viewers.offer(offer({ viewerId: "v_4", epoch: 3 }))).toMatchObject({ is: "refused" });
});

test("an offer that overtook its grant is answered behind it, and no press passes before", async () => {
  let answered = false;
  const answer = viewers.offer(offer({ viewerId: "v_3", epoch: 3 })).finally(() => (answered = true));
  await settle();
  expect([broadcast.joined.length, answered]).toEqual([1, false]);
  const early = { epoch: 3, seq: 1, button: "spin", at: clock.now(), stake: 100 };
  const reply = await broadcast.joined[0]!.request.presses!.receive(new TextEncoder().encode(JSON.stringify(early)));
  expect(JSON.parse(new TextDecoder().decode(reply!))).toMatchObject({ outcome: "refused" });
  // The seat of the player before, who left.
  await grants.revoke(2);
  expect(answered).toBe(false);
  await grants.grant({ epoch: 3, playSessionId: "ps_2", leaseMs: 60_000 });
  expect(await answer).toEqual({ is: "done", data: { sdp: "answer to offer" } });
  expect(broadcast.joined[0]!.closed).toBe(false);
});

test.each([
  ["does not come", async () => clock.advance(GRANT_WITHIN_MS)],
  ["is another one's", async () => grants.grant({ epoch: 4, playSessionId: "ps_4", leaseMs: 60_000 })],
  ["was revoked already", async () => grants.revoke(3)],
])("an offer whose grant %s leaves no viewer", async (_what, happen) => {
  const answer = viewers.offer(offer({ viewerId: "v_3", epoch: 3 }));
  await settle();
  await happen();
  expect(await answer).toMatchObject({ is: "refused", problem: { name: "seat.stale_epoch" } });
  expect(broadcast.viewers()).toEqual([]);
  expect(told.at(-1)?.data).toEqual({ machineId: "nar-01", viewerId: "v_3", state: "closed", count: 0 });
});

test("a new epoch closes the older player's connection and leaves the spectator", async () => {
  await viewers.offer(offer());
  await viewers.offer(offer({ viewerId: "v_2", role: "spectator", epoch: undefined }));
  await grants.grant({ epoch: 3, playSessionId: "ps_1", leaseMs: 60_000 });
  expect(broadcast.joined.map(({ closed }) => closed)).toEqual([true, false]);
  await viewers.offer(offer({ viewerId: "v_3", epoch: 3 }));
  await grants.revoke(3);
  expect(broadcast.joined.map(({ closed }) => closed)).toEqual([true, false, true]);
});

test("a seat lost while the offer is being answered leaves no connection behind", async () => {
  const answer = viewers.offer(offer({ sdp: "slow offer" }));
  await settle();
  await grants.revoke(2);
  broadcast.go();
  expect(await answer).toMatchObject({ is: "refused", problem: { name: "request.invalid" } });
  expect(broadcast.joined[0]?.closed).toBe(true);
});

test("a refused offer says why and leaves the connection of before as it was", async () => {
  const refused = await viewers.offer(offer({ sdp: "bad offer" }));
  expect(refused).toMatchObject({ is: "refused", problem: { detail: "The offer has no video." } });
  await viewers.offer(offer());
  await viewers.offer(offer({ sdp: "bad offer" }));
  viewers.candidate("v_1", { candidate: "candidate:1", sdpMid: "0" });
  expect(broadcast.joined[0]).toMatchObject({ closed: false, candidates: ["candidate:1"] });
});

test("a further offer is an ICE restart, or a new page under the old name", async () => {
  await viewers.offer(offer());
  expect(await viewers.offer(offer({ sdp: "again" }))).toEqual({ is: "done", data: { sdp: "answer to again" } });
  expect(broadcast.joined.length).toBe(1);
  await viewers.offer(offer({ sdp: "new page" }));
  expect(broadcast.joined.length).toBe(2);
  viewers.candidate("v_1", { candidate: "candidate:2", sdpMid: null });
  expect(broadcast.joined[1]?.candidates).toEqual(["candidate:2"]);
});

test("candidates that come before the answer are kept, a flood of them is not", async () => {
  const answer = viewers.offer(offer({ sdp: "slow offer" }));
  await settle();
  for (let n = 0; n < 100; n += 1) viewers.candidate("v_1", { candidate: `candidate:${n}`, sdpMid: "0" });
  viewers.candidate("v_1", { candidate: null, sdpMid: null });
  viewers.candidate("nobody", { candidate: "candidate:0", sdpMid: "0" });
  broadcast.go();
  await answer;
  expect(broadcast.joined[0]?.candidates.length).toBe(32);
});

test("candidates of our side go to the platform, and everybody is told again when it comes back", async () => {
  await viewers.offer(offer());
  broadcast.joined[0]?.request.candidate?.({ candidate: "candidate:9", sdpMid: "0" });
  expect(told.at(-1)).toEqual({
    method: "rtc.candidate",
    data: { machineId: "nar-01", viewerId: "v_1", candidate: "candidate:9", sdpMid: "0" },
  });
  viewers.reportTo(platform);
  expect(told.at(-1)?.data).toMatchObject({ viewerId: "v_1", state: "connecting", count: 1 });
  await viewers.end();
  expect(broadcast.joined[0]?.closed).toBe(true);
});

test("a flood of candidates of our side is cut off, and nothing else", async () => {
  await viewers.offer(offer());
  const { request } = broadcast.joined[0]!;
  const sent = () => told.filter(({ method }) => method === "rtc.candidate").length;
  for (let n = 0; n < CANDIDATES_MAX * 3; n += 1) request.candidate?.({ candidate: `candidate:${n}`, sdpMid: "0" });
  expect(sent()).toBe(CANDIDATES_MAX);
  request.connected?.();
  expect(states()).toEqual(["connecting", "connected"]);
  clock.advance(1_000);
  request.candidate?.({ candidate: "candidate:late", sdpMid: "0" });
  expect(sent()).toBe(CANDIDATES_MAX + 1);
});
