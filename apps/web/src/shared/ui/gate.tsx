import type { LampStatus } from "@longarm/ui/lamp.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Logo } from "@longarm/ui/logo.tsx";
import type { ReactNode } from "react";
import { useEffect, useRef } from "react";
import css from "./gate.module.css";

/** Calm at the edges: the lights go down, one lamp explains, one or two ways out are offered. */
export function Gate(props: {
  /** `dark`: the floor with its lights off; `plain`: beside `art`. */
  readonly look: "dark" | "plain";
  readonly lamp: LampStatus;
  readonly word: string;
  readonly title: string;
  readonly actions: ReactNode;
  readonly art?: ReactNode;
  readonly children: ReactNode;
}) {
  const title = useRef<HTMLHeadingElement>(null);
  // Said at once, and the next key that Tab finds is the first way out.
  useEffect(() => title.current?.focus(), []);
  return (
    <main className={css["gate"]} data-look={props.look} data-palette="night">
      <div className={css["text"]}>
        <Logo className={css["mark"] ?? ""} />
        <Lamp status={props.lamp}>{props.word}</Lamp>
        <h1 ref={title} tabIndex={-1}>
          {props.title}
        </h1>
        {props.children}
        <div className={css["actions"]}>{props.actions}</div>
      </div>
      {props.art}
    </main>
  );
}
