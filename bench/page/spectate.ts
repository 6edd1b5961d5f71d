import { CHANNEL_OPTIONS, CLOCK_CHANNEL } from "@longarm/contract/data-channel";

type Frame = {
  readonly id?: number;
  readonly ok?: boolean;
  readonly method?: string;
  readonly errorReason?: string;
  readonly data?: { readonly answer?: string; readonly candidate?: string | null; readonly sdpMid?: string };
};

/** Watches a machine as a spectator, without the web around it. Resolves once pictures come. */
export async function spectate(socketUrl: string, machineId: string): Promise<void> {
  const peer = new RTCPeerConnection({ bundlePolicy: "max-bundle" });
  peer.addTransceiver("video", { direction: "recvonly" });
  peer.addTransceiver("audio", { direction: "recvonly" });
  peer.createDataChannel(CLOCK_CHANNEL, CHANNEL_OPTIONS);
  const pictures = shownOf(peer);
  await peer.setLocalDescription();
  const socket = new WebSocket(socketUrl, "protoo");
  await new Promise((open, failed) => {
    socket.onopen = open;
    socket.onclose = () => failed(new Error("The game socket closed."));
  });
  await new Promise<void>((answered, failed) => {
    socket.onmessage = ({ data: text }) => {
      const { id, ok, method, errorReason, data } = JSON.parse(text) as Frame;
      if (method === "candidate" && data?.candidate)
        void peer.addIceCandidate({ candidate: data.candidate, sdpMid: data.sdpMid ?? "0" }).catch(() => {});
      if (id !== 1) return;
      if (ok && data?.answer) peer.setRemoteDescription({ type: "answer", sdp: data.answer }).then(answered, failed);
      else failed(new Error(errorReason ?? "The platform did not answer the offer."));
    };
    const offer = peer.localDescription?.sdp;
    const ask = { machineID: machineId, role: "spectator", offer };
    socket.send(JSON.stringify({ request: true, id: 1, method: "init", data: ask }));
  });
  await pictures;
}

function shownOf(peer: RTCPeerConnection): Promise<void> {
  return new Promise((shown) => {
    peer.ontrack = ({ track }) => {
      if (track.kind !== "video") return;
      const video = document.createElement("video");
      video.muted = true;
      video.srcObject = new MediaStream([track]);
      video.requestVideoFrameCallback(() => shown());
      document.documentElement.append(video);
      void video.play();
    };
  });
}
