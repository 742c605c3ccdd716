/** Copies what the service needs to run to a folder: the build, the files that it reads, and packages. */
export function writeImageTree(target: string): void;
