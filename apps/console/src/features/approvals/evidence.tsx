import type { Approval } from "@longarm/contract/staff-people";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import { useConsole } from "../../shared/console.ts";
import { useMe } from "../../shared/me.ts";
import { whenText } from "../../shared/times.ts";
import css from "./approvals.module.css";

type Line = Approval["evidence"][number];

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/;
/** Ledger and machine of one line, minor units: "50000 / 20000". */
const PAIR = /^(-?\d{1,15}|–) \/ (-?\d{1,15}|–)$/;

/** `excluded until` → `excludedUntil`: labels of the platform are English words. */
const keyIn = (label: string): string => label.replaceAll(/ (\w)/g, (_, letter: string) => letter.toUpperCase());

/** Where it comes from, in the person's language; a label or a value that the console does not know stays as it is. */
export function Evidence({ lines }: { readonly lines: Approval["evidence"] }) {
  const { t } = useText();
  if (lines.length === 0) return null;
  return (
    <div>
      <h3 className="plate">{t("approvals.evidence")}</h3>
      <dl className={css["evidence"]}>
        {lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two postings may be the same in every field.
          <EvidenceRow key={`${line.label} ${index}`} line={line} />
        ))}
      </dl>
    </div>
  );
}

function EvidenceRow({ line: { label, value, amount } }: { readonly line: Line }) {
  const { find } = useText();
  const said = useValue();
  return (
    <div>
      <dt>{find(`approvals.evidence_${keyIn(label)}`) ?? label}</dt>
      <dd>
        {value !== null && said(value)} {amount !== undefined && <Money minor={amount} tone="ink" />}
        {value === null && amount === undefined && "–"}
      </dd>
    </div>
  );
}

function useValue(): (value: string) => string {
  const { find, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const currency = useCurrency();
  return (value) => {
    if (INSTANT.test(value)) return whenText(value, clock.now(), venue.timeZone, language);
    const pair = PAIR.exec(value);
    const side = (text = "–") => (text === "–" ? text : moneyText(Number(text), currency, language));
    if (pair !== null) return `${side(pair[1])} / ${side(pair[2])}`;
    return find(`approvals.value_${keyIn(value)}`) ?? value;
  };
}
