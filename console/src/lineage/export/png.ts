import type { Drawn } from "./svg";

/** Sharper than the screen, and no larger than browsers can draw. */
const SCALE = 2;
const LONGEST_SIDE_PX = 12_000;

/** A drawing as a picture of dots. */
export async function png({ text, width, height }: Drawn): Promise<Blob> {
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const scale = Math.min(SCALE, LONGEST_SIDE_PX / Math.max(width, height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.ceil(width * scale);
    canvas.height = Math.ceil(height * scale);
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob(
        (blob) => (blob ? resolve(blob) : reject(new Error("the picture could not be drawn"))),
        "image/png",
      ),
    );
  } finally {
    URL.revokeObjectURL(address);
  }
}
