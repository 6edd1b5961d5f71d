import type { ClipManifest } from "@longarm/contract/recording";
import type { Clock } from "../ports/clock.ts";
import type { ClipDoor } from "../recording/records.ts";
import { agentUrl } from "./still.ts";

/** What clips may take of the venue's line, bytes a second: a fifth of what one player's video does. */
const BYTES_PER_SECOND = 256 * 1024;
const CHUNK_BYTES = 16 * 1024;
const PUT_MS_MAX = 300_000;

/** Puts clips to the platform with the agent's key, slowly enough that no player notices it. */
export function createClipDoor(platform: { url: () => string; key: string }, clock: Clock): ClipDoor {
  async function put(path: string, type: string, bytes: Buffer): Promise<void> {
    const answer = await fetch(agentUrl(platform.url(), path), {
      method: "PUT",
      headers: {
        authorization: `Bearer ${platform.key}`,
        "content-type": type,
        "content-length": String(bytes.length),
      },
      body: paced(bytes, clock),
      duplex: "half",
      redirect: "error",
      signal: AbortSignal.timeout(PUT_MS_MAX),
    } as RequestInit);
    await answer.body?.cancel();
    if (!answer.ok) throw new Error(`The platform did not take it (HTTP ${answer.status}).`);
  }
  return {
    part: (clipId, name, bytes) =>
      put(`clips/${encodeURIComponent(clipId)}/parts/${name}`, "application/octet-stream", bytes),
    manifest: (clipId, manifest: ClipManifest) =>
      put(`clips/${encodeURIComponent(clipId)}`, "application/json", Buffer.from(JSON.stringify(manifest))),
  };
}

/** The bytes, a little at a time. */
function paced(bytes: Buffer, clock: Clock): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      if (at > 0) await new Promise<void>((go) => void clock.after((CHUNK_BYTES / BYTES_PER_SECOND) * 1_000, go));
      controller.enqueue(new Uint8Array(bytes.subarray(at, at + CHUNK_BYTES)));
      at += CHUNK_BYTES;
      if (at >= bytes.length) controller.close();
    },
  });
}
