import type { PaymentKind } from "@longarm/contract/payments";
import { DESK, PAYMENT_KINDS } from "@longarm/contract/payments";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Money } from "@longarm/ui/money/money.tsx";
import { Segment } from "@longarm/ui/segment.tsx";
import { agoText } from "@longarm/ui/time/ago-text.ts";
import { useState } from "react";
import { useConsole } from "../../shared/console.ts";
import { useMe, useOnline } from "../../shared/me.ts";
import { FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Empty, Loaded, Panel, panelCss, Scroller } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { SelectField } from "../../shared/ui/select-field.tsx";
import { useWhen } from "../../shared/use-when.ts";
import css from "./cashier.module.css";
import type { Payment, PaymentAct } from "./payment-acts.tsx";
import { ACTS, actsOf, PaymentActForm, WAYS } from "./payment-acts.tsx";
import { PAYMENT_LAMPS, PaymentFacts } from "./payment-sheet.tsx";

type Which = "open" | "troubled" | "all";
type Filter = { readonly state: Which; readonly way: string; readonly kind: PaymentKind | "" };
type Chosen = { readonly id: string; readonly act?: { readonly payment: Payment; readonly name: PaymentAct } };

/** Payments at the desk and through providers: what is under way with what it waits for, what went wrong, and those that are over. */
export function UnderWay() {
  const { t } = useText();
  const [filter, setFilter] = useState<Filter>({ state: "open", way: "", kind: "" });
  const [after, setAfter] = useState<readonly string[]>([]);
  const [chosen, setChosen] = useState<Chosen>();
  const place = after.at(-1);
  const { state, way, kind } = filter;
  const payments = useRead("payments", {
    query: {
      state,
      ...(way !== "" && { way }),
      ...(kind !== "" && { kind }),
      ...(place !== undefined && { after: place }),
    },
  });
  const troubled = useRead("payments", { query: { state: "troubled" } });
  const wrong = troubled.data?.rows.length ?? 0;
  const ways = payments.data?.ways ?? troubled.data?.ways ?? [DESK];
  const change = (part: Partial<Filter>) => {
    setFilter({ ...filter, ...part });
    setAfter([]);
  };
  const close = () => setChosen(undefined);
  return (
    <Panel
      title={t("cashier.underWay")}
      about={wrong > 0 ? t("cashier.wrong", { count: wrong }) : undefined}
      tools={
        <>
          <Segment<Which>
            label={t("cashier.which")}
            value={state}
            onChange={(next) => change({ state: next })}
            options={(["open", "troubled", "all"] as const).map((value) => ({
              value,
              label: t(`cashier.which_${value}`),
            }))}
          />
          <SelectField
            label={t("cashier.through")}
            bareLabel
            value={way}
            choices={[
              ["", t("cashier.everyWay")],
              ...ways.map((name) => [name, name === DESK ? t("cashier.wayDesk") : name] as const),
            ]}
            onChange={(next) => change({ way: next })}
          />
          <SelectField
            label={t("cashier.kind")}
            bareLabel
            value={kind}
            choices={[
              ["", t("cashier.everyKind")],
              ...PAYMENT_KINDS.map((one) => [one, t(`cashier.${WAYS[one]}`)] as const),
            ]}
            onChange={(next) => change({ kind: next })}
          />
        </>
      }
      foot={
        (place !== undefined || payments.data?.next) && (
          <span className={css["row"]}>
            <Key kind="bare" disabled={place === undefined} onClick={() => setAfter(after.slice(0, -1))}>
              {t("cashier.pageBack")}
            </Key>
            <Key
              kind="bare"
              disabled={!payments.data?.next}
              onClick={() => payments.data?.next && setAfter([...after, payments.data.next])}
            >
              {t("cashier.pageOn")}
            </Key>
          </span>
        )
      }
    >
      <Loaded of={payments}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty title={t(way !== "" || kind !== "" ? "cashier.noneFits" : `cashier.none_${state}`)} />
          ) : (
            <Rows rows={rows} onOpen={setChosen} />
          )
        }
      </Loaded>
      <FormSheet
        open={chosen !== undefined}
        title={t(chosen?.act === undefined ? "cashier.payment" : `cashier.${ACTS[chosen.act.name].title}`)}
        onClose={close}
      >
        {chosen?.act !== undefined && (
          <PaymentActForm payment={chosen.act.payment} act={chosen.act.name} close={close} />
        )}
        {chosen !== undefined && chosen.act === undefined && (
          <PaymentFacts
            id={chosen.id}
            onAct={(payment, name) => setChosen({ id: payment.id, act: { payment, name } })}
            onClose={close}
          />
        )}
      </FormSheet>
    </Panel>
  );
}

function Rows({ rows, onOpen }: { readonly rows: readonly Payment[]; readonly onOpen: (chosen: Chosen) => void }) {
  const { t } = useText();
  return (
    <Scroller>
      <table className={`${panelCss["table"]} ${css["payments"]}`}>
        <thead>
          <tr>
            <th scope="col">{t("cashier.player")}</th>
            <th scope="col" data-number>
              {t("app.amount")}
            </th>
            <th scope="col">{t("cashier.state")}</th>
            <th scope="col">{t("cashier.made")}</th>
            <th scope="col">
              <span className="visually-hidden">{t("cashier.payment")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.id} row={row} onOpen={onOpen} />
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}

function Row({ row, onOpen }: { readonly row: Payment; readonly onOpen: (chosen: Chosen) => void }) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { permissions } = useMe();
  const online = useOnline();
  const when = useWhen();
  const { state, way, trouble, owed, waits } = row;
  const name = row.name ?? row.player.username;
  const needs = trouble === null ? waits !== null && t(`cashier.waits_${waits}`) : t(`cashier.trouble_${trouble}`);
  return (
    <tr>
      <td>
        <b>
          <bdi>{name}</bdi>
        </b>
        <small>
          {t(`cashier.${WAYS[row.kind]}`)} · {way === DESK ? t("cashier.wayDesk") : <bdi>{way}</bdi>}
        </small>
      </td>
      <td data-number>
        <Money minor={owed > 0 ? -owed : row.amount} tone="ink" />
      </td>
      <td>
        <Lamp status={trouble === null ? PAYMENT_LAMPS[state] : "fault"}>{t(`cashier.payment_${state}`)}</Lamp>
        {needs !== false && <small>{needs}</small>}
      </td>
      <td>
        <time dateTime={row.madeAt}>{agoText(clock.now() - Date.parse(row.madeAt), language)}</time>
        <small className="num">{when(row.madeAt)}</small>
      </td>
      <td>
        <span className={css["keys"]}>
          {actsOf(row)
            .filter((act) => permissions.includes(ACTS[act].needs))
            .map((act) => (
              <Key
                key={act}
                kind="line"
                disabled={!online}
                aria-label={t(`cashier.${ACTS[act].key}Of`, { name })}
                onClick={() => onOpen({ id: row.id, act: { payment: row, name: act } })}
              >
                {t(`cashier.${ACTS[act].key}`)}
              </Key>
            ))}
          <Key kind="bare" aria-label={t("cashier.openOf", { name })} onClick={() => onOpen({ id: row.id })}>
            {t("cashier.openPayment")}
          </Key>
        </span>
      </td>
    </tr>
  );
}
