import type { AddressInfo, Server, Socket } from "node:net";
import { createLine, openPty, serveLine } from "./carriers.ts";
import { createControl } from "./control.ts";
import { folderBanks } from "./machine/memory.ts";
import type { Options } from "./options.ts";
import { Powered } from "./powered.ts";
import { RelayBoard, serveBoard } from "./relay-board.ts";
import type { Clock } from "./sas/link-layer.ts";

/** A cabinet that runs, and where its ports are. `pty`: the path of its terminal, where it has one. */
export type RunningCabinet = {
  readonly powered: Powered;
  readonly ports: {
    readonly sas?: number;
    readonly buttons: number;
    readonly control: number;
    readonly screen?: number;
  };
  readonly pty?: string;
  close(): Promise<void>;
};

/** Modbus address of the relay board. */
const BOARD_UNIT = 1;

/** Starts a cabinet with all its ports. Rejects with a sentence when a port is taken or its memory is damaged. */
export async function startCabinet(
  options: Options,
  clock: Clock,
  problem: (sentence: string) => void,
): Promise<RunningCabinet> {
  const line = createLine();
  const powered = new Powered({
    model: options.model,
    clock,
    banks: folderBanks(options.folder),
    send: line.send,
    gapMsMax: options.gapMsMax,
    wakeup: options.wakeup,
  });
  const closers: (() => Promise<void> | void)[] = [() => powered.end()];
  const listen = async (server: Server, port: number): Promise<number> => {
    const sockets = new Set<Socket>();
    server.on("connection", (socket: Socket) => {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
    });
    const at = await listening(server, port, options.host);
    closers.push(() => closed(server, sockets));
    return at;
  };
  const board = new RelayBoard(clock, {
    press: (button) => void powered.press(button),
    remote: () => powered.remote(),
    faults: () => powered.boardFaults(),
  });
  const close = async (): Promise<void> => {
    board.release();
    for (const one of closers.toReversed()) await one();
  };
  try {
    const buttons = await listen(serveBoard(board, BOARD_UNIT), options.buttons);
    const control = await listen(createControl(reporting(powered, board)), options.control);
    const sas = options.pty ? undefined : await listen(serveLine(powered, line), options.sas);
    const pty = options.pty ? await openPty(powered, line) : undefined;
    if (pty !== undefined) closers.push(pty.close);
    const screen = options.screen === null ? undefined : await openCamera(options.screen);
    return {
      powered,
      ports: { buttons, control, ...(sas !== undefined && { sas }), ...(screen !== undefined && { screen }) },
      ...(pty !== undefined && { pty: pty.path }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }

  async function openCamera(port: number): Promise<number> {
    // Loaded only for a screen: FFmpeg is large.
    const { openScreen } = await import("./screen/screen.ts");
    const { brand, minCycleMs } = options.model;
    const { timeCode } = options;
    const screen = await openScreen({
      brand,
      minCycleMs,
      clock,
      timeCode,
      view: () => powered.view(),
      faults: () => powered.screenFaults(),
      problem,
    });
    closers.push(screen.close);
    return listen(screen.server, port);
  }
}

/** The machine's report, with what reached its relay board. */
const reporting = (powered: Powered, board: RelayBoard): Pick<Powered, "order" | "report"> => ({
  order: (order) => powered.order(order),
  report: () => ({ ...powered.report(), board: { received: board.received() } }),
});

function listening(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(error.code === "EADDRINUSE" ? new Error(`Port ${port} is taken: choose another one.`) : error),
    );
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

function closed(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    for (const socket of sockets) socket.destroy();
  });
}
