import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { powerUp } from "@longarm/agent/drivers/simulated/machine";
import { paintedPictures } from "@longarm/agent/drivers/simulated/painter";
import { createBroadcast } from "@longarm/agent/media/broadcast";
import { createWeriftTransport } from "@longarm/agent/media/transport/werift/transport";
import type { Source, VideoFrame } from "@longarm/agent/ports/source";
import { systemClock } from "@longarm/agent/system-clock";

/*
 * One process that shows a game which was painted before, to one viewer: capture, encoders, packets and encryption as in an agent, and nothing else. It
 * gets its commands over its IPC channel.
 */

export type ReplayRequest =
  /** Paints a game. */
  | { readonly is: "paint" }
  /** A viewer's offer. */
  | { readonly is: "offer"; readonly sdp: string };

export type ReplayReport =
  | { readonly is: "painted"; readonly pid: number }
  | { readonly is: "answer"; readonly sdp: string }
  | { readonly is: "failed"; readonly sentence: string };

const clock = systemClock();
const MACHINE = { brand: "nar", minCycleMs: 2_500, timeCode: false } as const;
/** The reels of a game turn for less, and then rest until the next one. */
const GAME_MS = 2_500;
const STAKE_MINOR = 1_200;

/** The frames of a game, each with where it differs from the one before. */
async function paint(): Promise<{ format: Source["format"]; frames: readonly VideoFrame[] }> {
  const folder = await mkdtemp(join(tmpdir(), "longarm-replay-"));
  const machine = await powerUp({ ...MACHINE, id: "m1", name: "Nar 01", seed: "bench 27", folder, clock });
  const { source } = paintedPictures(MACHINE, machine, clock);
  const frames: VideoFrame[] = [];
  const failed = Promise.withResolvers<never>();
  const opened = await source.open({
    video: (frame) => frames.push({ ...frame, data: frame.data.slice() }),
    audio: () => undefined,
    ended: (reason) => failed.reject(new Error(reason)),
  });
  await machine.egm.cashIn({ transferId: "in", amount: STAKE_MINOR * 10 });
  const press = await machine.egm.press({ button: "spin", stakeMinor: STAKE_MINOR });
  if (press.outcome !== "started") throw new Error(`No game began: ${press.outcome}.`);
  await Promise.race([new Promise<void>((over) => clock.after(GAME_MS, over)), failed.promise]);
  await opened.close();
  await machine.egm.close();
  await rm(folder, { recursive: true, force: true });
  return { format: { ...source.format, audio: false }, frames };
}

/** The same game again and again. */
function replay({ format, frames }: Awaited<ReturnType<typeof paint>>): Source {
  const frameAt = (n: number, sinceMs: number): VideoFrame => {
    const { changed, ...frame } = frames[n % frames.length] as VideoFrame;
    const capturedAtMs = clock.now();
    // The first differs from the last anywhere.
    if (changed === undefined || n % frames.length === 0) return { ...frame, capturedAtMs };
    return { ...frame, capturedAtMs, changed: { sinceMs, places: changed.places } };
  };
  return {
    format,
    still: async () => frameAt(0, 0),
    async open(sink) {
      let n = 0;
      let last = 0;
      const stop = clock.every(1_000 / format.frameRate, () => {
        const frame = frameAt(n, last);
        n += 1;
        last = frame.capturedAtMs;
        sink.video(frame);
      });
      return { close: async () => stop() };
    },
  };
}

let source: Source | undefined;
const report = (message: ReplayReport): void => void process.send?.(message);

async function answer(offer: string): Promise<string> {
  if (source === undefined) throw new Error("Nothing is painted.");
  const transport = createWeriftTransport(clock, { extraAddresses: ["127.0.0.1"], onlyExtraAddresses: true });
  const broadcast = createBroadcast({ source, transport, clock });
  const ignored = { connected: () => {}, closed: () => {}, candidate: () => {} };
  const request = { viewerId: "player", role: "player", iceServers: [], presses: null, complete: true } as const;
  return (await broadcast.addViewer({ ...request, ...ignored, sdp: offer })).sdp;
}

async function obey(ask: ReplayRequest): Promise<void> {
  if (ask.is === "offer") return report({ is: "answer", sdp: await answer(ask.sdp) });
  source = replay(await paint());
  report({ is: "painted", pid: process.pid });
}

process.on("message", (ask: ReplayRequest) => {
  obey(ask).catch((error: unknown) =>
    report({ is: "failed", sentence: error instanceof Error ? error.message : String(error) }),
  );
});
// The process that started us is gone.
process.on("disconnect", () => process.exit(0));
