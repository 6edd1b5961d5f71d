import type { IceServer } from "@longarm/contract/ice-server";
import type { Page } from "playwright-core";

/**
 * Lets a page reach agents through TURN servers alone, and those by one protocol: through those it is told of, or through `server`.
 * Call it before the page is opened.
 */
export async function relayOnly(page: Page, protocol: "udp" | "tcp", server?: IceServer): Promise<void> {
  await page.addInitScript(onlyThroughTurn, { wanted: protocol, own: server && [server as RTCIceServer] });
}

/** Runs in the page. Self-contained: it is sent as text. */
function onlyThroughTurn({ wanted, own }: { wanted: string; own: RTCIceServer[] | undefined }): void {
  const fitting = (given: RTCConfiguration = {}): RTCConfiguration => ({
    ...given,
    iceTransportPolicy: "relay",
    iceServers: (own ?? given.iceServers ?? []).map((server) => ({
      ...server,
      urls: [server.urls].flat().filter((url) => url.endsWith(`transport=${wanted}`)),
    })),
  });
  globalThis.RTCPeerConnection = new Proxy(RTCPeerConnection, {
    construct: (made, [given], self) => Reflect.construct(made, [fitting(given as RTCConfiguration)], self) as object,
  });
  const real = RTCPeerConnection.prototype;
  const change = real.setConfiguration;
  real.setConfiguration = function (this: RTCPeerConnection, given) {
    change.call(this, fitting(given));
  };
}
