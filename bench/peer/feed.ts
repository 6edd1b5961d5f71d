import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { temporaryDataFolder } from "@longarm/database/testing/data-folder";
import { findTool } from "../../tooling/finders/find-tool.ts";
import type { FoundTool } from "../../tooling/finders/tool.ts";

/** What the feeding process is told. */
export type FeedAsk = {
  readonly ffmpeg: FoundTool;
  /** For the machine's memory. */
  readonly folder: string;
  readonly seed: string;
  readonly minCycleMs: number;
  readonly rtpPort: number;
};

/** What it tells. */
export type FeedTells =
  | { readonly is: "feeding"; readonly port: number }
  | { readonly is: "handed"; readonly handedMs: readonly number[]; readonly left: number }
  | { readonly is: "failed"; readonly sentence: string };

/** The machine, its painter and the encoder of the peer. */
export type Feed = {
  /** An empty page on 127.0.0.1. A press is any message to a WebSocket of the same place; it says "turning" and "rests". */
  readonly href: string;
  /** From each picture's capture until FFmpeg had taken it, ms, since the last question; and pictures it had no time for. */
  handed(): Promise<{ readonly handedMs: readonly number[]; readonly left: number }>;
  close(): Promise<void>;
};

const PROCESS = fileURLToPath(new URL("feed-process.ts", import.meta.url));

/** Feeds what a simulated machine shows, encoded by FFmpeg, to an RTP port of this computer. */
export async function openFeed(
  { rtpPort, seed, minCycleMs }: Pick<FeedAsk, "rtpPort" | "seed" | "minCycleMs">,
  say: (line: string) => void,
): Promise<Feed> {
  const ffmpeg = await findTool("ffmpeg", { say });
  const data = await temporaryDataFolder();
  const child = fork(PROCESS, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const gone = once(child, "exit");
  const close = async (): Promise<void> => {
    // In order, so that it takes FFmpeg with it.
    if (child.connected) child.disconnect();
    await gone;
    await data.remove();
  };
  const told = async <Is extends FeedTells["is"]>(is: Is): Promise<Extract<FeedTells, { is: Is }>> => {
    const { promise, resolve, reject } = Promise.withResolvers<Extract<FeedTells, { is: Is }>>();
    const hear = (tells: FeedTells): void => {
      if (tells.is === is) resolve(tells as Extract<FeedTells, { is: Is }>);
      else if (tells.is === "failed") reject(new Error(tells.sentence));
    };
    const end = (): void => reject(new Error("The peer's feed has ended."));
    child.on("message", hear);
    child.once("exit", end);
    try {
      return await promise;
    } finally {
      child.off("message", hear);
      child.off("exit", end);
    }
  };
  try {
    const feeding = told("feeding");
    child.send({ ffmpeg, folder: data.folder, seed, minCycleMs, rtpPort } satisfies FeedAsk);
    const { port } = await feeding;
    return {
      href: `http://127.0.0.1:${port}/`,
      async handed() {
        const answer = told("handed");
        child.send("handed");
        return await answer;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
