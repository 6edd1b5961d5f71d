import type { RTCPeerConnection } from "werift";
import type { IceCandidate } from "../../../ports/transport.ts";

/** Our own candidates on their way to the browser. */
export interface Trickle {
  /** Candidates found from now on wait: an answer is being made that may carry them. */
  hold(): void;
  /** The answer has left; tells those that were not in it, and the later ones as they come. */
  release(): void;
}

export function createTrickle(
  peer: RTCPeerConnection,
  offered: (line: string) => boolean,
  tell: (candidate: IceCandidate) => void,
): Trickle {
  let waiting: IceCandidate[] | null = [];
  peer.onIceCandidate.subscribe((found) => {
    if (!found?.candidate || !offered(found.candidate)) return;
    const candidate = { candidate: found.candidate, sdpMid: found.sdpMid ?? null };
    if (waiting) waiting.push(candidate);
    else tell(candidate);
  });
  return {
    hold() {
      waiting ??= [];
    },
    release() {
      const found = waiting ?? [];
      waiting = null;
      const inAnswer = peer.localDescription?.sdp ?? "";
      for (const candidate of found) if (!inAnswer.includes(candidate.candidate)) tell(candidate);
    },
  };
}

/** The answer without the candidates that are not to be shown. */
export function keepOffered(sdp: string, offered: (line: string) => boolean): string {
  const lines = sdp.split(/\r?\n/);
  return lines.filter((line) => !line.startsWith("a=candidate:") || offered(line.slice(2))).join("\r\n");
}
