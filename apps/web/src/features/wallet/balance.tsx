import { useText } from "@longarm/ui/i18n/use-text.ts";
import { IconButton } from "@longarm/ui/key.tsx";
import type { Live } from "@longarm/ui/live.ts";
import { useLive } from "@longarm/ui/live.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import type { WalletNow } from "../../shared/play-deps.ts";
import css from "./balance.module.css";
import type { WalletVisibility } from "./wallet-visibility.ts";

export type BalanceProps = { readonly wallet: Live<WalletNow>; readonly visibility: WalletVisibility };

/** The header's wallet: what can be spent, what is elsewhere, and the key that hides both. */
export function HeaderBalance({ wallet, visibility }: BalanceProps) {
  const { t } = useText();
  const hidden = useLive(visibility.hidden);
  return (
    <div className={css["wallet"]}>
      <span className={`plate ${css["name"]}`}>{t("wallet.balance")}</span>
      <Amount wallet={wallet} hidden={hidden} />
      <Elsewhere wallet={wallet} hidden={hidden} />
      <Toggle visibility={visibility} />
    </div>
  );
}

function Toggle({ visibility }: Pick<BalanceProps, "visibility">) {
  const { t } = useText();
  const hidden = useLive(visibility.hidden);
  return (
    <IconButton
      icon="wallet"
      className={css["toggle"] ?? ""}
      label={t(hidden ? "wallet.show" : "wallet.hide")}
      pressed={hidden}
      onClick={visibility.toggle}
    />
  );
}

/** The menu's line of the same wallet. `withToggle`: there is no header to hold the key. */
export function MenuBalance({ wallet, visibility, withToggle = false }: BalanceProps & { withToggle?: boolean }) {
  const { t } = useText();
  const hidden = useLive(visibility.hidden);
  return (
    <div className={css["line"]}>
      <span className="plate">{t("wallet.balance")}</span>
      <Amount wallet={wallet} hidden={hidden} />
      {withToggle && <Toggle visibility={visibility} />}
      <Elsewhere wallet={wallet} hidden={hidden} />
    </div>
  );
}

type AmountProps = { readonly wallet: Live<WalletNow>; readonly hidden: boolean };

function Amount({ wallet, hidden }: AmountProps) {
  const { t } = useText();
  const balance = useLive(wallet, (now) => now?.balance);
  if (balance === undefined) {
    return (
      <span className={css["skeleton"]}>
        <span className="visually-hidden">{t("wallet.loading")}</span>
      </span>
    );
  }
  return <Concealed minor={balance} hidden={hidden} className={css["amount"] ?? ""} />;
}

/** Credits that are not in the wallet now, in words: on a machine, or being checked. */
function Elsewhere({ wallet, hidden }: AmountProps) {
  const { t } = useText();
  const onMachine = useLive(wallet, (now) => now?.onMachine ?? 0);
  const pending = useLive(wallet, (now) => now?.pending ?? 0);
  if (onMachine === 0 && pending === 0) return null;
  return (
    <span className={css["elsewhere"]}>
      {onMachine > 0 && (
        <span>
          {t("wallet.onMachine")} <Concealed minor={onMachine} hidden={hidden} />
        </span>
      )}
      {pending > 0 && (
        <span>
          {t("wallet.pending")} <Concealed minor={pending} hidden={hidden} />
        </span>
      )}
    </span>
  );
}

function Concealed({ minor, hidden, className = "" }: { minor: number; hidden: boolean; className?: string }) {
  const { t } = useText();
  if (!hidden) return <Money minor={minor} className={className} />;
  return (
    <span className={className}>
      <span className="visually-hidden">••• {t("wallet.hidden")}</span>
      <span className={css["blur"]} aria-hidden="true">
        <Money minor={minor} />
      </span>
    </span>
  );
}
