import type { Server } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { findChromiumForTests } from "../../../../../tooling/finders/find-tool.ts";

/** Everything runs inside the page; kept as text because the agent's sources have no browser types. */
const SCRIPT = `
window.viewers = {};
window.startViewer = async (name, options = {}) => {
  const peer = new RTCPeerConnection();
  const viewer = { peer, frames: 0, roomFrames: 0, delays: [], clock: [], press: [], open: [], gaps: [], lastAt: 0, channels: {} };
  window.viewers[name] = viewer;
  const video = peer.addTransceiver("video", { direction: "recvonly" });
  peer.addTransceiver("audio", { direction: "recvonly" });
  if (options.roomCamera) viewer.room = peer.addTransceiver("video", { direction: options.roomCamera });
  if (options.codec) {
    const codecs = RTCRtpReceiver.getCapabilities("video").codecs;
    video.setCodecPreferences(codecs.filter((codec) => codec.mimeType === options.codec));
  }
  for (const label of ["press", "clock"]) {
    const channel = peer.createDataChannel(label, { ordered: false, maxRetransmits: 0 });
    viewer.channels[label] = channel;
    channel.onopen = () => viewer.open.push(label);
    channel.onmessage = (event) => viewer[label].push(JSON.parse(event.data));
  }
  peer.ontrack = (event) => {
    if (event.track.kind !== "video") return;
    const element = document.createElement("video");
    element.muted = true;
    element.autoplay = true;
    element.srcObject = new MediaStream([event.track]);
    document.body.append(element);
    if (event.transceiver !== video) {
      const onRoomFrame = () => {
        viewer.roomFrames += 1;
        element.requestVideoFrameCallback(onRoomFrame);
      };
      element.requestVideoFrameCallback(onRoomFrame);
      return;
    }
    viewer.element = element;
    const canvas = new OffscreenCanvas(512, 32);
    const pen = canvas.getContext("2d", { willReadFrequently: true });
    const onFrame = (now, data) => {
      viewer.frames += 1;
      viewer.rtp = data.rtpTimestamp;
      pen.drawImage(element, 0, 0, 512, 32, 0, 0, 512, 32);
      const pixels = pen.getImageData(0, 0, 512, 32).data;
      let time = 0;
      for (let bit = 0; bit < 16; bit += 1) if (pixels[(16 * 512 + bit * 32 + 16) * 4 + 1] > 120) time |= 1 << bit;
      const presented = Math.floor(performance.timeOrigin + data.presentationTime) & 0xffff;
      viewer.delays.push((presented - time + 0x10000) & 0xffff);
      element.requestVideoFrameCallback(onFrame);
    };
    element.requestVideoFrameCallback(onFrame);
  };
  await peer.setLocalDescription();
  return peer.localDescription.sdp;
};
window.takeOffer = async (name, sdp, setup) => {
  const peer = new RTCPeerConnection();
  const viewer = { peer, frames: 0 };
  window.viewers[name] = viewer;
  peer.ontrack = (event) => {
    if (event.track.kind !== "video") return;
    const element = document.createElement("video");
    element.muted = true;
    element.autoplay = true;
    element.srcObject = new MediaStream([event.track]);
    document.body.append(element);
    const onFrame = () => {
      viewer.frames += 1;
      element.requestVideoFrameCallback(onFrame);
    };
    element.requestVideoFrameCallback(onFrame);
  };
  await peer.setRemoteDescription({ type: "offer", sdp });
  const answer = await peer.createAnswer();
  await peer.setLocalDescription({ type: "answer", sdp: answer.sdp.replaceAll("a=setup:active", "a=setup:" + setup) });
  while (peer.iceGatheringState !== "complete") await new Promise((looked) => setTimeout(looked, 10));
  return peer.localDescription.sdp;
};
window.answerViewer = (name, sdp) => window.viewers[name].peer.setRemoteDescription({ type: "answer", sdp });
window.trickleViewer = (name, candidate) => window.viewers[name].peer.addIceCandidate(candidate);
window.restartViewer = async (name) => {
  const { peer } = window.viewers[name];
  peer.restartIce();
  await peer.setLocalDescription();
  return peer.localDescription.sdp;
};
window.switchRoom = async (name, direction) => {
  const { peer, room } = window.viewers[name];
  room.direction = direction;
  await peer.setLocalDescription();
  return peer.localDescription.sdp;
};
window.switchVideo = async (name, direction) => {
  const { peer } = window.viewers[name];
  peer.getTransceivers()[0].direction = direction;
  await peer.setLocalDescription();
  return peer.localDescription.sdp;
};
window.readStats = async (name) => {
  const { peer } = window.viewers[name];
  const rows = [...(await peer.getStats()).values()];
  const inbound = (kind) => rows.find((row) => row.type === "inbound-rtp" && row.kind === kind);
  const pair = rows.find((row) => row.type === "candidate-pair" && row.nominated && row.state === "succeeded");
  const remote = pair && rows.find((row) => row.id === pair.remoteCandidateId);
  const codec = rows.find((row) => row.id === inbound("video")?.codecId);
  return { video: inbound("video"), audio: inbound("audio"), protocol: remote?.protocol, codec: codec?.mimeType };
};
`;

/** A real Chromium with a page that watches; everything on 127.0.0.1. */
export interface WatchingPage {
  readonly page: Page;
  close(): Promise<void>;
}

export async function openWatchingPage(): Promise<WatchingPage> {
  const server = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end(`<!doctype html><title>viewer</title><script>${SCRIPT}</script>`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { executablePath, env, args } = await findChromiumForTests();
  const browser: Browser = await chromium.launch({
    executablePath,
    env: { ...process.env, ...env } as Record<string, string>,
    args: [...args, "--disable-gpu", "--autoplay-policy=no-user-gesture-required"],
  });
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return {
    page,
    async close() {
      await browser.close();
      await closeServer(server);
    },
  };
}

const closeServer = (server: Server) =>
  new Promise<void>((resolve) => {
    server.closeAllConnections();
    server.close(() => resolve());
  });
