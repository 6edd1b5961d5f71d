import type { RTCPeerConnection } from "werift";
import type { AnsweredOffer, ConnectionEvents, Exchange } from "../../../ports/transport.ts";
import { OfferProblem } from "../../../ports/transport.ts";
import type { Answer } from "../offer.ts";
import { PUBLISHED, readAnswer, rebuildAnswer } from "../offer.ts";
import { allowedCandidate, REMOTE_CANDIDATES_MAX } from "../remote-candidates.ts";
import type { ConnectionDeps } from "./connection.ts";
import { createLifetime, keepOffered, OWN_ADDRESSES_MS } from "./connection.ts";
import { createPeer, negotiatedStreams } from "./peer.ts";
import { limitTcp } from "./stranger-guard.ts";

/** Offers a media server our streams with one werift peer. Rejects when the server does not take them; then nothing of it is left. */
export async function openPublication(
  exchange: Exchange,
  events: ConnectionEvents,
  deps: ConnectionDeps,
): Promise<Omit<AnsweredOffer, "sdp">> {
  const peer = createPeer({ sections: PUBLISHED }, [], deps.settings);
  const lifetime = createLifetime(peer, events, deps, "media server");
  let answer: Answer | undefined;
  try {
    for (const { role } of PUBLISHED)
      peer.addTransceiver(role === "audio" ? "audio" : "video", { direction: "sendonly" });
    const { sdp } = await peer.createOffer();
    const [dtls] = peer.dtlsTransports;
    if (dtls === undefined) throw new OfferProblem("The offer has nothing to send.");
    lifetime.carry(dtls, () => {
      if (answer === undefined) throw new Error("A media server has connected without an answer.");
      return negotiatedStreams(peer, answer, false);
    });
    await gather(peer, sdp, deps);
    const answered = await exchange(keepOffered(peer.localDescription?.sdp ?? sdp, deps.offered));
    if (lifetime.ended()) throw new OfferProblem("The connection was closed before it was made.");
    answer = readAnswer(answered.sdp);
    const allowed = (address: string): boolean => address === answered.address || deps.allowed(address);
    const candidates = [...new Set(answer.candidates)].filter((line) => allowedCandidate(line, allowed));
    await peer.setRemoteDescription({
      type: "answer",
      sdp: rebuildAnswer(answer, candidates.slice(0, REMOTE_CANDIDATES_MAX)),
    });
  } catch (problem) {
    await lifetime.end(null);
    throw problem;
  }
  return {
    videoCodec: answer.videoCodec,
    connection: {
      ...lifetime.sends,
      sendData: () => false,
      addCandidate: () => undefined,
      renegotiate: async () => Promise.reject(new OfferProblem("A media server makes no offer.")),
      close: () => lifetime.end(null),
    },
  };
}

/** Waits for all candidates of our side: WHIP lets them follow, but not every server takes them then. */
async function gather(peer: RTCPeerConnection, sdp: string, { clock }: ConnectionDeps): Promise<void> {
  const waited = new Promise<void>((resolve) => clock.after(OWN_ADDRESSES_MS, resolve));
  await Promise.race([peer.setLocalDescription({ type: "offer", sdp }), waited]);
  limitTcp(peer);
}
