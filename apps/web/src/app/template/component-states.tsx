import css from "./component-states.module.css";
import "../../features/theme/palettes.css";
import type { LobbyMachine } from "@longarm/contract/lobby-lists";
import { MACHINE_STATUS } from "@longarm/contract/lobby-lists";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { keyClass } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Money } from "@longarm/ui/money/money.tsx";
import { useRouteContext } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { createStore } from "zustand/vanilla";
import { createFavourites } from "../../features/lobby/own-machines.ts";
import { MachineCard } from "../../features/lobby/view/machine-card.tsx";
import { PinDots, PinPad } from "../../features/lock/pin-pad.tsx";
import type { SpinState } from "../../features/play/view/deck/spin-button.tsx";
import { SpinFace } from "../../features/play/view/deck/spin-button.tsx";
import { PALETTE_IDS } from "../../features/theme/palettes.ts";
import { HeaderBalance } from "../../features/wallet/balance.tsx";
import type { WalletVisibility } from "../../features/wallet/wallet-visibility.ts";
import type { WalletNow } from "../../shared/play-deps.ts";
import type { Storage } from "../../shared/storage/storage.ts";

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

const SPINS: readonly SpinState[] = [
  ...(["ready", "turning", "cycle", "queued", "auto", "noCredit", "above"] as const),
  ...(["unfair", "locked", "unlinked", "offline"] as const),
];
const IDLE = { on: false, left: undefined, total: undefined, lossLeft: undefined };
const WALLETS: readonly WalletNow[] = [{ balance: 1_245_075 }, { balance: 245_000, onMachine: 500_000 }, undefined];

/** SPIN, the wallet and the PIN pad in their states: they look and feel as they do in the casino, and move nothing. */
export function ControlStates() {
  const { t } = useText();
  return (
    <>
      <ul className={css["spins"]}>
        {SPINS.map((state) => (
          <li key={state}>
            <SpinFace
              className={css["spin"] ?? ""}
              state={state}
              bet={1_200}
              auto={state === "auto" ? { on: true, left: 24, total: 100, lossLeft: undefined } : IDLE}
              cycle={{ leftMs: 60_000, wholeMs: 160_000 }}
            />
            <span>{t(`guide.spin-${state}`)}</span>
          </li>
        ))}
      </ul>
      <div className={css["wallets"]}>
        {WALLETS.map((wallet) => (
          <Wallet key={wallet?.balance ?? "unknown"} wallet={wallet} />
        ))}
      </div>
      <Pin />
    </>
  );
}

function Wallet({ wallet }: { readonly wallet: WalletNow }) {
  const [stores] = useState(() => ({ wallet: createStore(() => wallet), visibility: ownVisibility() }));
  return <HeaderBalance {...stores} />;
}

/** Shown or hidden in this place only: the player's own choice stays as it is. */
function ownVisibility(): WalletVisibility {
  const hidden = createStore<boolean>(() => false);
  return { hidden, toggle: () => hidden.setState(!hidden.getState(), true) };
}

function Pin() {
  const { t } = useText();
  const input = useRef<HTMLInputElement>(null);
  const [digits, setDigits] = useState("");
  const type = (next: string) => setDigits(next.replace(/\D/g, "").slice(0, 4));
  return (
    <form
      className={css["pin"]}
      aria-label={t("lock.pin")}
      onSubmit={(event) => {
        event.preventDefault();
        setDigits("");
      }}
    >
      <PinDots input={input} digits={digits} wrong={0} onType={type} disabled={false} />
      <PinPad
        onDigit={(digit) => type(digits + digit)}
        onErase={() => type(digits.slice(0, -1))}
        canSubmit={digits.length > 0}
        busy={false}
        disabled={false}
      />
    </form>
  );
}

/** The same card in every palette. Its buttons are only drawn: there is nothing to press. */
export function PaletteStates() {
  const { t } = useText();
  return (
    <ul className={css["cards"]}>
      {PALETTE_IDS.map((id) => (
        <li key={id} data-palette={id}>
          <b>{t(`theme.${id}`)}</b>
          <Money minor={1_245_075} />
          <Lamp status="available">{t("lobby.available")}</Lamp>
          <Lamp status="waiting">{t("lobby.waitingShort")}</Lamp>
          <span className={keyClass({ kind: "brass" })}>{t("lobby.continue")}</span>
          <span className={keyClass({})}>{t("lobby.play")}</span>
        </li>
      ))}
    </ul>
  );
}
