import type { ComponentProps, ReactNode } from "react";
import css from "./frame.module.css";

type FramingProps = Omit<ComponentProps<"div">, "className"> & { readonly endPanel: ReactNode };

/** Bars and page in their width, and beside all of them what stands at the end of the window. */
export function Framing({ endPanel, ...frame }: FramingProps) {
  return (
    <div className={css["window"]}>
      <div className={css["frame"]} {...frame} />
      {endPanel}
    </div>
  );
}
