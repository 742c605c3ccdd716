/** The limits of uploaded files. A part of `LIMITS`: read them from there. */
export const FILE_LIMITS = {
  /** Bytes of an uploaded file: the highest limit that can be set for a deployment. */
  fileBytes: 1024 * 1024 * 1024,
  /** Bytes of an uploaded file by default. */
  defaultFileBytes: 100 * 1024 * 1024,
  /** Bytes of an uploaded file by default, if its caller has no credentials. */
  defaultAnonymousFileBytes: 10 * 1024 * 1024,
  /** Files of one tool result that the model receives. */
  resultFiles: 8,
  /** Bytes of such a file. */
  resultFileBytes: 5 * 1024 * 1024,
  /** Pixels of the longer side of a picture in a tool result. Providers reject larger ones. */
  resultPictureSide: 8_000,
  /** Bytes of all responses to a call of an MCP tool, after decompression, with the base64 of its files. */
  mcpResultBytes: 8 * 1024 * 1024,
  /** Bytes of these responses without the long texts, after decompression. */
  mcpStructureBytes: 512 * 1024,
  /** Hours until a file of a tool result expires that no conversation uses. */
  resultFileHours: 1,
  /** Characters of the name of an uploaded file. */
  fileNameLength: 255,
  /** MIME types that a deployment can list for its files. */
  fileTypes: 100,
  /** Bytes at the start of a file that decide which type it has. */
  fileTypeBytes: 4 * 1024,
  /** Requests that can send one file in parts. */
  fileParts: 1_000,
  /** Bytes that all requests of one upload can send, as a multiple of its announced size. Then the upload fails. */
  uploadSentTimes: 4,
  /** MiB that one IP address can send in an hour to uploads of callers without credentials and of end users. */
  strangerUploadMegabytesPerHour: 2_048,
  /** MiB that one IP address can send in an hour to uploads of other callers. */
  uploadMegabytesPerHour: 102_400,
  /** Hours until an upload expires, and until a file expires that no message uses. */
  uploadHours: 24,
  /** The same without credentials. */
  anonymousUploadHours: 1,
  /** Seconds that one request with bytes of a file can take. The next one continues. */
  uploadSeconds: 300,
  /** Seconds without bytes until such a request is ended. */
  uploadIdleSeconds: 30,
  /** Such requests per IP address and process at the same time. */
  uploadsAtOnce: 50,
  /** Bytes of a file that is sent to the bucket in one request. Larger files are sent to the service, and can continue. */
  directUploadBytes: 16 * 1024 * 1024,
  /** Requests that send bytes to a bucket through a process at the same time. Each one needs memory for a part of 8 MiB. */
  bucketUploadsAtOnce: 16,
  /** The same for files of strangers from one IP address. */
  bucketUploadsOfStranger: 4,
  /** Seconds that the conversion of one Office document to text can take. A process converts one at a time. */
  officeSeconds: 5,
  /** Bytes of an Office document after unpacking. A larger one is not given to the model. */
  officeUncompressedBytes: 32 * 1024 * 1024,
  /** Files inside an Office document. */
  officeEntries: 2_000,
  /** MiB of JavaScript objects that the conversion of an Office document can use. */
  officeHeapMegabytes: 256,
  /** Seconds that the scan command can take for a file. */
  scanSeconds: 60,
  /** Minutes until the URL of a file expires. */
  fileUrlMinutes: 10,
  /** MiB of all files of an environment by default. */
  defaultFileMegabytes: 10_240,
  /** MiB of all files of an environment: the highest limit that can be set. */
  fileMegabytes: 1_000_000_000,
  /** MiB of one stranger's files in an environment that no message uses. One larger file is accepted. */
  strangerUnusedMegabytes: 128,
  /** Uploads of one stranger in an environment that are announced and not complete. */
  strangerUploads: 20,
} as const;
