import type { Page } from "playwright-core";

/** Lets a page reach agents through TURN servers alone, and those by one protocol. Call it before the page is opened. */
export async function relayOnly(page: Page, protocol: "udp" | "tcp"): Promise<void> {
  await page.addInitScript((wanted) => {
    const fitting = (given: RTCConfiguration = {}): RTCConfiguration => ({
      ...given,
      iceTransportPolicy: "relay",
      iceServers: (given.iceServers ?? []).map((server) => ({
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
  }, protocol);
}
