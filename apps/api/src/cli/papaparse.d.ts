/** A type of browsers that the types of papaparse name. */
type BufferSource = ArrayBufferView | ArrayBuffer;
