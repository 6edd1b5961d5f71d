import { createPeer, takeMedia } from "./connection.ts";
import { readRtp } from "./rtp.ts";

/** What came to one who watches at a media server. */
export type WatchedCounts = {
  /** Whole or not: their last packet came. */
  readonly pictures: number;
  /** Of the video's packets, their headers included. */
  readonly bytes: number;
};

/** One who watches at a media server that makes the offer: receives, decodes nothing and requests nothing. */
export type Watcher = {
  /** Our answer, with every address of ours in it. */
  readonly answer: string;
  counts(): WatchedCounts;
  close(): Promise<void>;
};

/** Answers a media server's offer of a video, or of a video and a sound. @throws Error when the offer cannot be read. */
export async function openWatcher(offer: string, lost: (why: string) => void): Promise<Watcher> {
  const peer = createPeer({});
  const counts = { pictures: 0, bytes: 0 };
  let closed = false;
  const gone = (why: string): void => {
    if (!closed) lost(why);
  };
  try {
    await peer.setRemoteDescription({ type: "offer", sdp: offer });
    await peer.setLocalDescription(await peer.createAnswer());
    const [dtls] = peer.dtlsTransports;
    if (dtls === undefined) throw new Error("The offer has no transport.");
    const videos = new Set(payloadTypesOf(offer, "video"));
    takeMedia(
      dtls,
      {
        rtp(bytes) {
          const packet = readRtp(bytes, 0);
          if (packet === undefined || !videos.has(packet.payloadType)) return;
          counts.bytes += bytes.length;
          if (packet.marker) counts.pictures += 1;
        },
        rtcp: () => {},
        connected: () => {},
      },
      gone,
    );
    while (peer.iceGatheringState !== "complete") await peer.iceGatheringStateChange.asPromise();
    return {
      answer: peer.localDescription?.sdp ?? "",
      counts: () => ({ ...counts }),
      async close() {
        closed = true;
        await peer.close().catch(() => undefined);
      },
    };
  } catch (error) {
    await peer.close().catch(() => undefined);
    throw error;
  }
}

/** The payload types of the first section of a kind. */
function payloadTypesOf(sdp: string, kind: "video" | "audio"): number[] {
  const [, types = ""] = new RegExp(`^m=${kind} \\d+ \\S+ (.*)$`, "m").exec(sdp) ?? [];
  return types.trim().split(/\s+/).map(Number);
}
