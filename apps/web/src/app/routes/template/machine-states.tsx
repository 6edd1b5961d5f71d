import type { LobbyMachine } from "@longarm/contract/machine";
import { MACHINE_STATUS } from "@longarm/contract/machine";
import { useRouteContext } from "@tanstack/react-router";
import { useState } from "react";
import { createStore } from "zustand/vanilla";
import { createFavourites } from "../../../features/lobby/model/favourites.ts";
import { MachineCard } from "../../../features/lobby/view/machine-card.tsx";
import type { Storage } from "../../../shared/storage/storage.ts";
import css from "./machine-states.module.css";

/** The lobby's own cabinets, one in each state. They lead nowhere, and what is liked here is forgotten. */
export function MachineStates() {
  const { app } = useRouteContext({ from: "__root__" });
  const [{ machines, ...floor }] = useState(() => {
    const shown = createStore(() => statesAt(app.clock.now()));
    return { machines: shown, favourites: createFavourites(FORGETFUL), openSession: createStore(() => undefined) };
  });
  const { clock, settings } = app;
  const shared = { ...floor, machines, clock, statusMap: settings.machineStatus, still: () => undefined };
  return (
    <div className={css["floor"]}>
      {machines.getState().map(({ id }) => (
        <MachineCard key={id} id={id} floor={{ ...shared, onChoose: () => false }} />
      ))}
    </div>
  );
}

const FORGETFUL: Storage = { read: () => null, write: () => undefined, remove: () => undefined };

function statesAt(now: number): readonly LobbyMachine[] {
  const until = new Date(now + 90_000).toISOString();
  const { available, waiting, playing, reserved, notAvailable } = MACHINE_STATUS;
  return [
    { id: "sample-1", name: "Nar 01", brand: "Nar", status: available },
    { id: "sample-2", name: "Kuzey 02", brand: "Kuzey", status: playing },
    { id: "sample-3", name: "Pera 03", brand: "Pera", status: waiting, mine: true, until },
    { id: "sample-4", name: "Mercan 04", brand: "Mercan", status: waiting },
    { id: "sample-5", name: "Nar 05", brand: "Nar", status: reserved, reservation: { until } },
    { id: "sample-6", name: "Kuzey 06", brand: "Kuzey", status: notAvailable },
  ];
}
