import { useRef, useState } from "react";
import { createStore } from "zustand/vanilla";
import { PinDots, PinPad } from "../../../features/lock/view/pin-pad.tsx";
import type { SpinState } from "../../../features/play/view/deck/spin-button.tsx";
import { SpinFace } from "../../../features/play/view/deck/spin-button.tsx";
import { HeaderBalance } from "../../../features/wallet/balance.tsx";
import type { WalletVisibility } from "../../../features/wallet/wallet-visibility.ts";
import { useText } from "../../../shared/i18n/use-text.ts";
import type { WalletNow } from "../../../shared/play-deps.ts";
import css from "./control-states.module.css";

const SPINS: readonly SpinState[] = [
  ...(["ready", "turning", "queued", "auto", "noCredit", "unfair", "locked", "unlinked", "offline"] as const),
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
