import { readdirSync } from "node:fs";
import { createBroadcast } from "@longarm/agent/media/broadcast";
import { paintedSource } from "@longarm/agent/media/testing/painted-source";
import { realClock } from "@longarm/agent/media/testing/real-clock";
import { createWeriftTransport } from "@longarm/agent/media/transport/werift/transport";

/* The agent's media under attack, in a process of its own: a machine's pictures, and the real transport for those who watch and play. */

export type ToAgent =
  | { readonly is: "join"; readonly id: string; readonly role: "player" | "spectator"; readonly sdp: string }
  | { readonly is: "leave"; readonly id: string }
  | { readonly is: "trickle"; readonly id: string; readonly candidate: string }
  | { readonly is: "restart"; readonly id: string; readonly sdp: string }
  | { readonly is: "state"; readonly id: string };
export type FromAgent = { readonly id: string } & (
  | { readonly is: "joined"; readonly sdp: string }
  | { readonly is: "refused"; readonly why: string }
  | { readonly is: "closed"; readonly why: string }
  | { readonly is: "state"; readonly heapBytes: number; readonly descriptors: number; readonly viewers: number }
);

const tell = (message: FromAgent): void => void process.send?.(message);
const transport = createWeriftTransport(realClock, {
  ...{ extraAddresses: ["127.0.0.1"], onlyExtraAddresses: true },
  remoteCandidates: { closed: [], open: ["127.0.0.0/8"] },
});
const broadcast = createBroadcast({
  ...{ source: paintedSource(realClock), roomCamera: undefined, transport, clock: realClock },
  problem: () => undefined,
});
type Viewer = Awaited<ReturnType<typeof broadcast.addViewer>>["viewer"];
const viewers = new Map<string, Viewer>();

async function join(id: string, role: "player" | "spectator", sdp: string): Promise<void> {
  const joined = await broadcast.addViewer({
    ...{ viewerId: id, role, sdp, iceServers: [], connected: () => undefined, candidate: () => undefined },
    onPress: (message) => message,
    closed(why) {
      viewers.delete(id);
      tell({ is: "closed", id, why });
    },
  });
  viewers.set(id, joined.viewer);
  tell({ is: "joined", id, sdp: joined.sdp });
}

async function answer(message: ToAgent): Promise<void> {
  const { id } = message;
  if (message.is === "join") await join(id, message.role, message.sdp);
  else if (message.is === "leave") {
    const viewer = viewers.get(id);
    viewers.delete(id);
    await viewer?.close();
  } else if (message.is === "trickle") viewers.get(id)?.addCandidate({ candidate: message.candidate, sdpMid: "0" });
  else if (message.is === "restart") {
    const sdp = await viewers.get(id)?.renegotiate(message.sdp);
    if (sdp !== undefined) tell({ is: "joined", id, sdp });
  } else {
    globalThis.gc?.();
    const descriptors = process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0;
    tell({ is: "state", id, heapBytes: process.memoryUsage().heapUsed, descriptors, viewers: viewers.size });
  }
}

process.on("message", (message) => {
  const given = message as ToAgent;
  answer(given).catch((error: unknown) => tell({ is: "refused", id: given.id, why: String(error) }));
});
process.once("disconnect", () => process.exit());
