/// The tool's options; the raw value is the name without the leading dashes.
enum Option: String, Hashable, Sendable, CaseIterable {
  case backend, host, port, device, transport, file, rate
  case count, timeout, accuracy, distance, interval
  case conditions, state, all
  case places, limit, locale, nominatim
  case duration, rotate, append, replace, simplify
  case maximumGap = "max-gap"
  case partial
  case broker, topic, credentials
  case authority = "ca"
  case certificate
  case certificateKey = "certificate-key"
  case storage, group, partition, messages
  case from, until, at, trips
  case status
  case confirmation = "confirm"
  case trackerID = "tracker-id"
  case policy, client, key
  case output, basemap, title
  case coloring = "color-by"
  case over, zone
  case plot
  case format, color
  case classes = "class"
  case noColor = "no-color"
  case help, version

  var flag: String { "--" + rawValue }

  /// The placeholder for the option's value in the help; nil when it takes none.
  var placeholder: String? {
    switch self {
    case .backend: "gpsd|geoclue|nmea|replay|mqtt"
    case .host: "NAME"
    case .port: "NUMBER|SOURCE"
    case .device: "PATH"
    case .file, .conditions, .state, .policy, .key, .basemap: "FILE"
    case .credentials, .authority, .certificate, .certificateKey, .storage: "FILE"
    case .trackerID: "TEXT"
    case .confirmation: "broker|stored"
    case .group: "NAME"
    case .partition: "[BASE/]NUMBER"
    case .from, .until, .at: "TIME"
    case .broker: "mqtt[s]://HOST[:PORT]"
    case .topic: "owntracks/USER/DEVICE"
    case .output: "FILE.svg|FILE.html"
    case .plot: "FILE.svg|FILE.html"
    case .title: "TEXT"
    case .coloring: "speed|altitude"
    case .over: "time|distance"
    case .zone: "NAME"
    case .client: "NAME"
    case .transport: "socket|shared-memory"
    case .rate: "FACTOR"
    case .count, .limit: "NUMBER"
    case .locale: "LANGUAGE,..."
    case .nominatim: "URL"
    case .timeout, .interval, .maximumGap: "SECONDS"
    case .accuracy, .distance, .simplify: "METERS"
    case .format: "text|json"
    case .classes: "TPV,SKY,..."
    case .color: "auto|always|never"
    case .duration: "SECONDS"
    case .rotate: "SIZE|DURATION|DISTANCE"
    case .trips, .all, .append, .replace, .partial, .places, .status, .messages, .noColor, .help,
      .version:
      nil
    }
  }

  /// The commands that accept the option.
  var commands: [Command] { Command.allCases.filter { $0.options.contains(self) } }

  var summary: String {
    switch self {
    case .backend: "The source (default gpsd), or sources by preference, such as gpsd,nmea"
    case .host: "The host gpsd runs on (default localhost)"
    case .port: "gpsd's (default 2947), or nmea's /dev/NAME, tcp://HOST:PORT, udp://:PORT"
    case .device: "The one receiver to use, by its path"
    case .transport: "How to reach gpsd (default socket); shared-memory is local only"
    case .file: "The recording to replay, as convert reads it (default: a built-in drive)"
    case .rate: "The replay speed as a multiple of the recorded speed (default 1)"
    case .count: "End after this many"
    case .timeout: "Give up when nothing arrives for this long"
    case .accuracy: "Only locations whose horizontal accuracy is at least this good"
    case .distance: "Only locations at least this far from the previous one"
    case .interval: "At most one location in each interval of this length"
    case .conditions: "The GeoJSON file of the areas"
    case .state: "Keeps states and unprinted events in this file between runs"
    case .all: "Also the first state of each area"
    case .places: "Also the place at each location, or those of each trip"
    case .limit: "At most this many places (default 1 for a point, 10 for a name)"
    case .locale: "The languages of names, such as de,en; the places in the tool have one"
    case .nominatim: "Ask this Nominatim server instead of the places in the tool"
    case .replace: "Replaces the file if it exists"
    case .simplify: "Leaves out points at most this far from the line between the others"
    case .partial: "Keeps what precedes the damage of a recording that is cut or damaged"
    case .maximumGap: "A longer time without a location is a gap (default: by the pace)"
    case .output: "The file to write; .svg is a picture, .html a page (required; also -o)"
    case .basemap: "A GeoJSON file of areas, lines and points to draw below the track"
    case .title: "The title (default: the name of the file)"
    case .coloring: "What the color of the track shows (default speed)"
    case .zone: "The time zone, such as Europe/Berlin (default: that of the first location)"
    case .over: "What the profiles are over (default time, unless most of it is gaps)"
    case .plot: "Writes a map of all tracks at the end"
    case .broker: "The MQTT broker or nodes, by commas; mqtts is with TLS (ports 1883, 8883)"
    case .topic: "The topic of the device; for fleet, + is any name (default owntracks/+/+)"
    case .credentials: "The user name in line 1, the password in line 2; for its owner only"
    case .authority: "The authorities that the broker's certificate may have (PEM)"
    case .certificate: "The certificate of this client (PEM); needs --certificate-key"
    case .certificateKey: "The key of --certificate (PEM)"
    case .storage: "Keeps what waits for the broker in this file (default: in memory)"
    case .group: "Shares the messages with the other members of this group"
    case .partition: "The part of the devices to follow, as the broker maps it (base: fleet)"
    case .from: "The time of the first location, such as 2026-11-30T08:00:00Z"
    case .until: "The time before which the last location is (default: now, and later)"
    case .at: "Only the last location at this time or before"
    case .trips: "The trips instead: drives between rests of ten minutes"
    case .messages: "Also all messages of the devices, such as transitions and cards, as lines"
    case .status: "Also publishes permission and connection state when they change"
    case .confirmation:
      "Who confirms a location: the broker (default), or a server that stored it"
    case .trackerID: "A short name of the device for maps, OwnTracks' tid"
    case .policy: "The policy file; without one every request is granted"
    case .client: "The client whose policy rule applies (default: this program)"
    case .key: "The key of reduced accuracy (default: the policy file's path plus .key)"
    case .format: "text (default), or json: one object per line"
    case .classes: "Only reports of these classes, gpsd's names separated by commas"
    case .color: "When to use color (default auto: in a terminal, unless NO_COLOR is set)"
    case .noColor: "The same as --color never"
    case .duration: "End after this time"
    case .rotate: "Begin another file at this size (10MB), duration (1h) or distance (5km)"
    case .append: "Continue a file that record has written"
    case .help: "Shows help, for a command too"
    case .version: "Shows the version"
    }
  }
}

/// An option as a command describes it.
struct DescribedOption: Hashable, Sendable {
  let flag: String
  /// Nil for an option without a value.
  let placeholder: String?
  let summary: String
}

extension Command {
  /// The options of the command, in the order of the help.
  var describedOptions: [DescribedOption] {
    Option.allCases.filter { options.contains($0) && $0 != .version }.map { option in
      let meaning = meanings[option]
      return DescribedOption(
        flag: option.flag, placeholder: meaning?.placeholder ?? option.placeholder,
        summary: meaning?.summary ?? option.summary)
    }
  }
}

/// Options that several commands share.
extension Set<Option> {
  static let presentation: Self = [.format, .color, .noColor]
  static let permission: Self = [.policy, .client, .key]
  /// The options of all commands that use gpsd.
  static let receiving: Self = presentation.union(permission).union([.timeout, .host, .port])
  static let replay: Self = [.backend, .file, .rate]
  static let broker: Self = [
    .broker, .topic, .credentials, .authority, .certificate, .certificateKey,
  ]
  static let filters: Self = [.accuracy, .distance, .interval]
}

extension Option {
  /// The meaning of ``backend`` for commands that cannot read from a broker.
  static let sourceWithoutBroker = (
    placeholder: "gpsd|geoclue|nmea|replay",
    summary: Option.backend.summary
  )
  /// The meaning of ``backend`` for commands that need satellites or headings.
  static let sourceOfAllKinds = (
    placeholder: "gpsd|nmea|replay",
    summary: Option.backend.summary
  )
  /// The meaning of ``backend`` for `doctor`.
  static let diagnosedSource = (
    placeholder: "gpsd|geoclue|nmea", summary: "The source or sources to diagnose (default gpsd)"
  )
  /// The meaning of ``port`` for commands that use gpsd alone.
  static let portOfGPSD = (
    placeholder: "NUMBER", summary: "The port gpsd listens on, 1...65535 (default 2947)"
  )
  /// The meaning of ``format`` for commands that write a recording.
  static let formatOfRecording = (
    placeholder: "NAME", summary: "The format of the file (default: by its name)"
  )
}
