/// What a run of the tool was asked for.
struct Arguments: Hashable, Sendable {
  enum Backend: String, Hashable, Sendable, CaseIterable { case gpsd, replay }
  enum Transport: String, Hashable, Sendable, CaseIterable {
    case socket
    case sharedMemory = "shared-memory"
  }
  enum Format: String, Hashable, Sendable, CaseIterable { case text, json }
  enum Color: String, Hashable, Sendable, CaseIterable { case auto, always, never }

  var command: Command
  var backend = Backend.gpsd
  var host = "localhost"
  var port = 2947
  var device: String?
  var transport = Transport.socket
  /// How many times as fast as recorded a replay runs.
  var rate = 1.0
  var count: Int?
  var timeout: Duration?
  /// Metres.
  var accuracy: Double?
  /// Metres.
  var distance: Double?
  var interval: Duration?
  /// The policy file that applies.
  var policy: String?
  /// Whose rule of it.
  var client: String?
  /// Where the secret of reduced accuracy is kept.
  var key: String?
  /// gpsd's names of the classes of report; nil for all.
  var classes: Set<String>?
  var format = Format.text
  var color = Color.auto
}

/// What the words of a command line mean.
enum Invocation: Hashable, Sendable {
  case run(Arguments)
  case help(Command?)
  case version
}

/// Why a command line means nothing; the message says what to change.
struct UsageError: Error, Hashable, Sendable {
  let message: String
  /// The command whose help explains more.
  let command: Command?

  init(_ message: String, command: Command? = nil) {
    (self.message, self.command) = (message, command)
  }
}
