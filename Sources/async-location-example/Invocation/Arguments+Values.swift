import AsyncLocation
import FoundationEssentials
import LocationRecording
import MQTTBackend
import NMEABackend

extension Arguments {
  /// Parses and stores the value of one option.
  mutating func set(_ option: Option, _ value: String) throws(UsageError) {
    switch option {
    case .backend: backends = try sources(option, value)
    case .host: host = try text(option, value)
    case .port: break  // Its meaning depends on the sources: see readPorts(_:).
    case .device: device = try text(option, value)
    case .transport: transport = try choice(option, value)
    case .file: file = try text(option, value)
    case .rate: rate = try number(option, value, 0.001...1_000_000)
    case .count: count = try whole(option, value, 1...Int.max)
    case .timeout: timeout = .seconds(try number(option, value, 0.001...31_536_000))
    case .accuracy: accuracy = try number(option, value, 0.001...10_000_000)
    case .distance: distance = try number(option, value, 0...50_000_000)
    case .interval: interval = .seconds(try number(option, value, 0...31_536_000))
    case .broker: broker.url = try text(option, value)
    case .topic: broker.topic = try text(option, value)
    case .credentials: broker.credentials = try text(option, value)
    case .authority: broker.authority = try text(option, value)
    case .certificate: broker.certificate = try text(option, value)
    case .certificateKey: broker.certificateKey = try text(option, value)
    case .group: broker.group = try text(option, value)
    case .partition: broker.partition = try partition(option, value)
    case .storage: broker.storage = try text(option, value)
    case .from: from = try time(option, value)
    case .until: until = try time(option, value)
    case .at: at = try time(option, value)
    case .confirmation: broker.confirmation = try choice(option, value)
    case .trackerID: broker.trackerID = try text(option, value)
    case .policy: policy = try text(option, value)
    case .client: client = try text(option, value)
    case .key: key = try text(option, value)
    case .conditions: conditions = try text(option, value)
    case .state: state = try text(option, value)
    case .all: all = true
    case .places: places = true
    case .trips: trips = true
    case .messages: broker.showsMessages = true
    case .status: broker.publishesStatus = true
    case .limit: limit = try whole(option, value, 1...Int.max)
    case .locale: locale = try languages(option, value)
    case .nominatim: nominatim = try text(option, value)
    case .output, .plot: destination = try text(option, value)
    case .basemap: basemap = try text(option, value)
    case .title: title = try text(option, value)
    case .coloring: coloring = try choice(option, value)
    case .zone: timeZone = try text(option, value)
    case .over: profileAxis = try choice(option, value) as TrackPicture.ProfileAxis
    case .format where command.writesRecordings: recordingFormat = try writingFormat(option, value)
    case .format: format = try choice(option, value)
    case .replace: replaces = true
    case .simplify: simplification = try number(option, value, 0...1_000_000)
    case .partial: keepsReadablePart = true
    case .maximumGap: maximumGap = .seconds(try number(option, value, 0.001...31_536_000))
    case .classes: classes = try names(option, value)
    case .color: color = try choice(option, value)
    case .noColor: color = .never
    case .duration: duration = .seconds(try number(option, value, 0.001...31_536_000))
    case .rotate: rotate = try text(option, value)
    case .append: appends = true
    case .help, .version: break  // Handled before values are read.
    }
  }

  /// Rejects more than `count` words after a command.
  func refuseWords(_ words: [String], after count: Int) throws(UsageError) {
    guard words.count > count else { return }
    throw UsageError(
      "'\(Escaping.escape(words[count], limit: 60))' is an unexpected argument", command: command)
  }

  /// Rejects a wrong number of words after a command, and empty words.
  func requireWords(
    _ words: [String], count: Int, else missing: UsageError
  ) throws(UsageError) {
    guard words.count >= count, !words.prefix(count).contains("") else { throw missing }
    try refuseWords(words, after: count)
  }

  /// Reads the values of `--port`, the last of which counts. If both gpsd and NMEA 0183 are sources,
  /// numbers are for gpsd, and the rest for NMEA 0183.
  mutating func readPorts(_ values: [String]) throws(UsageError) {
    let isForGPSD = { [backends] (value: String) in
      backends.contains(.gpsd)
        && (!backends.contains(.nmea) || value.utf8.allSatisfy { (48...57).contains($0) })
    }
    if let value = values.last(where: isForGPSD) {
      guard uses(.nmea) || (try? NMEASource(value)) == nil else {
        throw UsageError(
          "--port \(Escaping.escape(value, limit: 60)) is a source of NMEA 0183; it needs --backend nmea",
          command: command)
      }
      port = try whole(.port, value, 1...65_535)
      guard transport == .socket else { throw needsSocket(.port) }
    }
    guard uses(.nmea) else { return }
    guard let value = values.last(where: { !isForGPSD($0) }) else {
      throw UsageError(
        "--port is missing: --port /dev/ttyUSB0, tcp://HOST:PORT or udp://:PORT", command: command)
    }
    do throws(LocationError) {
      nmea = try NMEASource(value)
    } catch {
      throw UsageError("--port: \(error.message)", command: command)
    }
  }

  private func needsSocket(_ option: Option) -> UsageError {
    UsageError(
      "\(option.flag) needs --transport socket; shared memory is local", command: command)
  }

  /// Rejects missing options, and those that have no effect in combination with the others.
  func check(_ given: Set<Option>) throws(UsageError) {
    try command.check(self, given)
    try checkBroker(given)
    let existing = [Option.append, .replace].filter(given.contains)
    if let option = existing.first, given.contains(.rotate) {
      throw UsageError(
        "\(option.flag) is for one file; --rotate always begins new ones", command: command)
    }
    if existing.count > 1 {
      throw UsageError("--append and --replace exclude each other", command: command)
    }
    let gpsdOnly: [Option] = uses(.nmea) ? [.host, .transport] : [.host, .port, .transport]
    if !uses(.gpsd), let option = gpsdOnly.first(where: given.contains) {
      let names = backends.map(\.rawValue).joined(separator: ",")
      throw UsageError(
        "\(option.flag) locates gpsd; --backend \(names) does not use it", command: command)
    }
    if !uses(.gpsd), let first = backends.first, given.contains(.device) {
      let instead =
        switch first {
        case .gpsd, .replay: "a replay has only one"
        case .geoclue: "GeoClue names none"
        case .nmea: "--port names the source"
        case .mqtt: "--topic names the device"
        }
      throw UsageError(
        "--device selects one of gpsd's receivers; \(instead)", command: command)
    }
    if !uses(.replay), given.contains(.rate) {
      throw UsageError("--rate needs --backend replay", command: command)
    }
    if !uses(.replay), given.contains(.file) {
      throw UsageError("--file needs --backend replay", command: command)
    }
    if given.contains(.client), !given.contains(.policy) {
      throw UsageError(
        "--client selects a rule of the policy file; it needs --policy", command: command)
    }
    if given.contains(.key), !given.contains(.policy) {
      throw UsageError(
        "--key applies to the reduced accuracy of a policy; it needs --policy", command: command)
    }
    if transport == .sharedMemory, given.contains(.host) { throw needsSocket(.host) }
  }

  /// One source, or several that are separated by commas, the most preferred first.
  private func sources(_ option: Option, _ value: String) throws(UsageError) -> [Backend] {
    let names = value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard names.count > 1 else { return [try choice(option, value)] }
    var sources: [Backend] = []
    for name in names {
      let source: Backend = try choice(option, name)
      guard Backend.combinable.contains(source) else {
        throw UsageError(
          "\(option.flag) \(name) is used alone; gpsd, geoclue and nmea can be combined",
          command: command)
      }
      guard !sources.contains(source) else {
        throw UsageError("\(option.flag) names \(name) twice", command: command)
      }
      sources.append(source)
    }
    return sources
  }

  private func choice<Value: CaseIterable & RawRepresentable<String>>(
    _ option: Option, _ value: String
  ) throws(UsageError) -> Value {
    if let value = Value(rawValue: value) { return value }
    let names = Value.allCases.map(\.rawValue)
    let hint = NearestName.find(value, in: names).map { "; did you mean \($0)?" } ?? ""
    throw wrong(option, value, "one of \(names.joined(separator: ", "))", hint)
  }

  private func writingFormat(
    _ option: Option, _ value: String
  ) throws(UsageError) -> RecordingWriter.Format {
    guard let format = RecordingWriter.Format(name: value) else {
      let names = RecordingWriter.Format.allCases.map(\.name)
      let hint = NearestName.find(value, in: names).map { "; did you mean \($0)?" } ?? ""
      throw wrong(option, value, "one of \(Self.formatNames)", hint)
    }
    return format
  }

  /// Comma-separated languages, the most preferred first.
  private func languages(
    _ option: Option, _ value: String
  ) throws(UsageError) -> GeocodingLocale {
    let names = value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let isKnown = { (name: String) in !GeocodingLocale(name).languages.isEmpty }
    guard names.allSatisfy(isKnown), names.count <= GeocodingLocale.limit else {
      throw wrong(option, value, "languages separated by commas, such as de-CH,en")
    }
    return GeocodingLocale(languages: names)
  }

  /// Comma-separated names, in capitals as gpsd writes them.
  private func names(_ option: Option, _ value: String) throws(UsageError) -> Set<String> {
    let names = value.split(separator: ",", omittingEmptySubsequences: false)
    let isName = { (name: Substring) in
      guard name.utf8.allSatisfy({ $0 < 0x80 }), name.first?.isLetter == true else { return false }
      return name.allSatisfy { $0.isLetterOrDigit || $0 == "_" }
    }
    guard names.allSatisfy(isName) else {
      throw wrong(option, value, "class names separated by commas, such as TPV,SKY")
    }
    return Set(names.map { $0.uppercased() })
  }

  private func text(_ option: Option, _ value: String) throws(UsageError) -> String {
    guard value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
      throw wrong(option, value, "text without control characters")
    }
    return value
  }

  private func partition(
    _ option: Option, _ value: String
  ) throws(UsageError) -> FleetConfiguration.Partition {
    let levels = value.split(separator: "/", omittingEmptySubsequences: false)
    // Written as brokers write it, so that a partition has one session and one part of a storage.
    guard let last = levels.last, let number = Int(last), number >= 0, "\(number)" == last
    else { throw wrong(option, value, "the number of a partition, such as 3 or fleet/3") }
    guard levels.count > 1 else { return FleetConfiguration.Partition(number) }
    return FleetConfiguration.Partition(
      number, base: levels.dropLast().joined(separator: "/"))
  }

  private func time(_ option: Option, _ value: String) throws(UsageError) -> Date {
    guard let time = try? Date(value, strategy: .iso8601) else {
      throw wrong(option, value, "a time such as 2026-11-30T08:00:00Z")
    }
    return time
  }

  private func whole(
    _ option: Option, _ value: String, _ range: ClosedRange<Int>
  ) throws(UsageError) -> Int {
    guard value.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(value),
      range.contains(number)
    else {
      let bounds =
        range.upperBound == .max
        ? "at least \(range.lowerBound)" : "\(range.lowerBound)...\(range.upperBound)"
      throw wrong(option, value, "a whole number, \(bounds)")
    }
    return number
  }

  private func number(
    _ option: Option, _ value: String, _ range: ClosedRange<Double>
  ) throws(UsageError) -> Double {
    // Accepts only digits and a point; `Double` would also read "inf", "nan" and hexadecimal.
    guard value.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 }),
      let number = Double(value), range.contains(number)
    else {
      let upper = NumberText.fixed(range.upperBound, 0)
      let lower = range.lowerBound == 0 ? "0" : "\(range.lowerBound)"
      throw wrong(option, value, "a number, \(lower)...\(upper)")
    }
    return number
  }

  private func wrong(
    _ option: Option, _ value: String, _ expected: String, _ hint: String = ""
  ) -> UsageError {
    UsageError(
      "\(option.flag) is \(expected); got '\(Escaping.escape(value, limit: 60))'\(hint)",
      command: command)
  }
}

extension Character {
  fileprivate var isLetterOrDigit: Bool { isLetter || isWholeNumber }
}
