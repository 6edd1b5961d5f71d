import type { IceServer } from "@longarm/contract/ice-server";
import { configurationOf, preferred } from "@longarm/link/receive-media";
import type { BrowserChecks } from "../state/self-test.ts";

/** ICE gathering ends by itself, or after this time when a server does not answer, ms. */
const GATHER_MS = 4_000;

/** What this browser can do, tested with a connection of its own that leads nowhere. */
export const browserChecks: BrowserChecks = {
  browser() {
    if (typeof RTCPeerConnection !== "function") return "noWebRtc";
    const codecs = RTCRtpReceiver.getCapabilities("video")?.codecs ?? [];
    return codecs.length === 0 || preferred("video", codecs).length > 0 ? "fine" : "noCodec";
  },
  gather,
};

async function gather(servers: readonly IceServer[], relayOnly: boolean): Promise<{ addresses: number }> {
  let addresses = 0;
  let pc: RTCPeerConnection;
  try {
    pc = new RTCPeerConnection(configurationOf(servers, relayOnly));
  } catch {
    return { addresses };
  }
  try {
    await new Promise<void>((done) => {
      const timer = setTimeout(done, GATHER_MS);
      pc.onicecandidate = ({ candidate }) => {
        if (candidate?.candidate) addresses += 1;
        // One relayed address is proof enough; the others may be waiting for a server that is down.
        if (candidate !== null && !(relayOnly && addresses > 0)) return;
        clearTimeout(timer);
        done();
      };
      pc.createDataChannel("check");
      pc.setLocalDescription().catch(() => done());
    });
  } finally {
    pc.close();
  }
  return { addresses };
}
