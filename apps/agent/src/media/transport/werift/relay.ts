import type { RTCIceServer, RTCPeerConnection, TurnProtocol } from "werift";
import { classes, Message, methods, StunOverTurnProtocol } from "werift";
import type { Clock } from "../../../ports/clock.ts";
import type { IceServer } from "../../../ports/transport.ts";

/** Whether the agent's own side goes through TURN servers: not at all, beside the direct ways, or as its only way. */
export type RelayUse = "no" | "yes" | "only";

/** A server that does not answer must not hold up the end of a connection, ms. */
const RELEASE_MS = 500;
/** By then every place that was asked for has been given or refused: UDP, then TCP, each with its repeats, ms. */
const LATE_PLACE_MS = 30_000;

/** The servers that a peer is given. Werift takes one of each kind, the first. */
export function serversFor(servers: readonly IceServer[], relay: RelayUse): RTCIceServer[] {
  const fits = relay === "no" ? /^stuns?:/ : /^(stun|turn)s?:/;
  return servers.flatMap(({ urls, username, credential }) => {
    const fitting = [urls].flat().filter((url) => fits.test(url));
    if (fitting.length === 0) return [];
    return {
      urls: fitting,
      ...(username !== undefined && { username }),
      ...(credential !== undefined && { credential }),
    };
  });
}

/** True for a candidate line of ours that stands for a place on a TURN server. */
export function isRelay(candidateLine: string): boolean {
  return / typ relay( |$)/.test(candidateLine);
}

/**
 * Ends a peer and gives its places on TURN servers back. By itself werift only falls silent: the server would keep each place for
 * ten minutes and count it, and a place that comes after the end would be renewed for ever.
 */
export async function closeWithRelays(peer: RTCPeerConnection, clock: Clock, relay: RelayUse): Promise<void> {
  if (relay === "no") return await peer.close();
  const gathering = peer.iceGatheringState !== "complete";
  const connections = peer.iceTransports.map(({ connection }) => connection as unknown as WithProtocols);
  const places = () =>
    connections.flatMap(({ protocols }) =>
      protocols.flatMap((one) => (one instanceof StunOverTurnProtocol ? [one.turn] : [])),
    );
  await giveBack(places(), clock);
  await peer.close();
  if (!gathering) return;
  clock.after(LATE_PLACE_MS, () => {
    const late = places();
    void giveBack(late, clock).then(() => Promise.allSettled(late.map((place) => place.close())));
  });
}

/** Werift keeps them to itself. */
type WithProtocols = { readonly protocols: readonly unknown[] };

/** Gives places on TURN servers back, within half a second. */
export async function giveBack(places: readonly TurnProtocol[], clock: Clock): Promise<void> {
  if (places.length === 0) return;
  const released = places.map((turn) => {
    const request = new Message(methods.REFRESH, classes.REQUEST).setAttribute("LIFETIME", 0);
    return turn.requestWithRetry(request, turn.server);
  });
  await new Promise<void>((over) => {
    const stop = clock.after(RELEASE_MS, over);
    void Promise.allSettled(released).then(() => {
      stop();
      over();
    });
  });
}
