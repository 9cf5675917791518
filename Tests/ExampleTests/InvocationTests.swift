import AsyncLocation
import LocationRecording
import NMEABackend
import TestSupport
import Testing

@testable import async_location_example

@Suite(.inTurn) struct InvocationTests {
  struct Good: CustomTestStringConvertible, Sendable {
    let words: String
    let invocation: Invocation

    init(_ words: String, _ invocation: Invocation) {
      (self.words, self.invocation) = (words, invocation)
    }

    init(_ words: String, _ command: Command, _ change: (inout Arguments) -> Void = { _ in }) {
      var arguments = Arguments(command: command)
      change(&arguments)
      self.init(words, .run(arguments))
    }

    var testDescription: String { words }
  }

  static let good = [
    Good("watch", .watch),
    Good("once", .once),
    Good("devices", .devices),
    Good("devices --port 5", .devices) { $0.port = 5 },
    Good("once --backend geoclue", .once) { $0.backends = [.geoclue] },
    Good("watch --port /dev/ttyUSB0 --backend nmea", .watch) {
      ($0.backends, $0.nmea) = ([.nmea], .serial(path: "/dev/ttyUSB0"))
    },
    Good("sky --backend nmea --port tcp://plotter:4000", .sky) {
      ($0.backends, $0.nmea) = ([.nmea], .tcp(host: "plotter", port: 4000))
    },
    Good("doctor --backend nmea --port udp://", .doctor) {
      ($0.backends, $0.nmea) = ([.nmea], .udp())
    },
    Good("watch --backend gpsd,nmea --port /dev/ttyUSB0 --device /dev/a --host pi", .watch) {
      ($0.backends, $0.nmea) = ([.gpsd, .nmea], .serial(path: "/dev/ttyUSB0"))
      ($0.device, $0.host) = ("/dev/a", "pi")
    },
    Good("record a.gpx --backend nmea,gpsd --port 5 --port udp:// --port 6", .record) {
      ($0.destination, $0.backends) = ("a.gpx", [.nmea, .gpsd])
      ($0.nmea, $0.port) = (.udp(), 6)
    },
    Good("once --backend gpsd,geoclue --port 5", .once) {
      ($0.backends, $0.port) = ([.gpsd, .geoclue], 5)
    },
    Good("doctor --backend geoclue,nmea --port udp://", .doctor) {
      ($0.backends, $0.nmea) = ([.geoclue, .nmea], .udp())
    },
    Good("watch --backend gpsd,nmea --transport shared-memory --port /dev/a", .watch) {
      ($0.backends, $0.nmea) = ([.gpsd, .nmea], .serial(path: "/dev/a"))
      $0.transport = .sharedMemory
    },
    Good("doctor --device /dev/a --format json", .doctor) {
      ($0.device, $0.format) = ("/dev/a", .json)
    },
    Good("sky --backend replay --count 2", .sky) { ($0.backends, $0.count) = ([.replay], 2) },
    Good("fences --conditions a.json --state s.db --count 2", .fences) {
      ($0.conditions, $0.state, $0.count) = ("a.json", "s.db", 2)
    },
    Good("fences --conditions=a --backend replay --rate 9", .fences) {
      ($0.conditions, $0.backends, $0.rate) = ("a", [.replay], 9)
    },
    Good("place 47.1 9.5", .place) { $0.place = .point(point(47.1, 9.5)) },
    Good("place -33.9 -70.6 --limit 3", .place) {
      ($0.place, $0.limit) = (.point(point(-33.9, -70.6)), 3)
    },
    Good("place -33.9S|-70.6", .place) { $0.place = .name("-33.9S|-70.6") },
    Good("place 48,137 11,575", .place) { $0.place = .point(point(48.137, 11.575)) },
    Good("place -- -33.9 -.5", .place) { $0.place = .point(point(-33.9, -0.5)) },
    Good("place --limit 2 -33.9,+18.4", .place) {
      ($0.place, $0.limit) = (.point(point(-33.9, 18.4)), 2)
    },
    Good("place 47.1, 9.5", .place) { $0.place = .point(point(47.1, 9.5)) },
    Good("place Paris, TX", .place) { $0.place = .name("Paris, TX") },
    Good("place Nan", .place) { $0.place = .name("Nan") },
    Good("place inf 5", .place) { $0.place = .name("inf 5") },
    Good("place 100 Mile House --format json", .place) {
      ($0.place, $0.format) = (.name("100 Mile House"), .json)
    },
    Good("place Wien --locale de-AT,en --nominatim http://a:80 --timeout 2", .place) {
      ($0.place, $0.locale) = (.name("Wien"), GeocodingLocale(languages: ["de-AT", "en"]))
      ($0.nominatim, $0.timeout) = ("http://a:80", .seconds(2))
    },
    Good("fences --conditions a --all", .fences) { ($0.conditions, $0.all) = ("a", true) },
    Good("watch --places --locale ja", .watch) { ($0.places, $0.locale) = (true, "ja") },
    Good("completions zsh", .completions) { $0.shell = .zsh },
    Good("manual", .manual),
    Good("manual watch", .manual) { $0.topic = "watch" },
    Good("convert a.nmea b.gpx", .convert) { ($0.recording, $0.destination) = ("a.nmea", "b.gpx") },
    Good("convert - - --format CSV --replace --simplify 5 --max-gap 90", .convert) {
      ($0.recording, $0.destination, $0.recordingFormat) = ("-", "-", .csv)
      ($0.replaces, $0.simplification, $0.maximumGap) = (true, 5, .seconds(90))
    },
    Good("convert a b.gpx --partial", .convert) {
      ($0.recording, $0.destination, $0.keepsReadablePart) = ("a", "b.gpx", true)
    },
    Good("stats a.gpx --format json --device /dev/a", .stats) {
      ($0.recording, $0.format, $0.device) = ("a.gpx", .json, "/dev/a")
    },
    Good("headings --device /dev/a", .headings) { $0.device = "/dev/a" },
    Good("record a.gpx --count 5 --duration 60 --append", .record) {
      ($0.destination, $0.count, $0.duration, $0.appends) = ("a.gpx", 5, .seconds(60), true)
    },
    Good("record --format csv --rotate 10MB --distance 5 a", .record) {
      ($0.destination, $0.recordingFormat, $0.rotate, $0.distance) = ("a", .csv, "10MB", 5)
    },
    Good("help", .help(nil)),
    Good("--help", .help(nil)),
    Good("-h", .help(nil)),
    Good("help once", .help(.once)),
    Good("once --help", .help(.once)),
    Good("watch -h --port 0", .help(.watch)),
    Good("--version", .version),
    Good("watch --host pi --port 1", .watch) { ($0.host, $0.port) = ("pi", 1) },
    Good("watch --host=pi --port=65535", .watch) { ($0.host, $0.port) = ("pi", 65_535) },
    Good("--host pi watch", .watch) { $0.host = "pi" },
    Good("watch --host a --host b", .watch) { $0.host = "b" },
    Good("watch --host=::1", .watch) { $0.host = "::1" },
    Good("watch --device /dev/a=b", .watch) { $0.device = "/dev/a=b" },
    Good("watch --device=/dev/a=b", .watch) { $0.device = "/dev/a=b" },
    Good("watch --transport shared-memory", .watch) { $0.transport = .sharedMemory },
    Good("watch --backend replay --file a.gpx", .watch) {
      ($0.backends, $0.file) = ([.replay], "a.gpx")
    },
    Good("watch --backend replay --rate 2.5", .watch) { ($0.backends, $0.rate) = ([.replay], 2.5) },
    Good("watch --rate 50 --backend replay", .watch) { ($0.backends, $0.rate) = ([.replay], 50) },
    Good("watch --count 5 --timeout .5", .watch) {
      ($0.count, $0.timeout) = (5, .milliseconds(500))
    },
    Good("once --accuracy 10 --timeout 3", .once) { ($0.accuracy, $0.timeout) = (10, .seconds(3)) },
    Good("watch --distance 0 --interval 2", .watch) {
      ($0.distance, $0.interval) = (0, .seconds(2))
    },
    Good("devices --format json", .devices) { $0.format = .json },
    Good("watch --no-color", .watch) { $0.color = .never },
    Good("watch --no-color --color always", .watch) { $0.color = .always },
    Good("-- watch", .watch),
    Good("authorization", .authorization),
    Good("authorization --policy p.json --client map", .authorization) {
      ($0.policy, $0.client) = ("p.json", "map")
    },
    Good("plot a.gpx -o b.svg", .plot) { ($0.recording, $0.destination) = ("a.gpx", "b.svg") },
    Good("plot - --output=b.HTML --replace --color-by altitude", .plot) {
      ($0.recording, $0.destination, $0.replaces, $0.coloring) = ("-", "b.HTML", true, .altitude)
    },
    Good("plot a.gpx -o=b.svg --title A --basemap c.json", .plot) {
      ($0.recording, $0.destination, $0.title, $0.basemap) = ("a.gpx", "b.svg", "A", "c.json")
    },
    Good("plot a.gpx b.gpx - -o b.svg --title A", .plot) {
      ($0.recording, $0.furtherRecordings) = ("a.gpx", ["b.gpx", "-"])
      ($0.destination, $0.title) = ("b.svg", "A")
    },
    Good("plot a.gpx -o b.svg --zone Europe/Berlin", .plot) {
      ($0.recording, $0.destination, $0.timeZone) = ("a.gpx", "b.svg", "Europe/Berlin")
    },
    Good("plot a.gpx -o b.svg --over distance", .plot) {
      ($0.recording, $0.destination, $0.profileAxis) = ("a.gpx", "b.svg", .distance)
    },
    Good("sky --plot sky.svg --replace", .sky) {
      ($0.destination, $0.replaces) = ("sky.svg", true)
    },
    Good("watch --backend mqtt --broker mqtt://a --topic owntracks/jane/boat", .watch) {
      $0.backends = [.mqtt]
      ($0.broker.url, $0.broker.topic) = ("mqtt://a", "owntracks/jane/boat")
    },
    Good(
      "record a.gpx --backend mqtt --broker mqtts://a:1 --topic owntracks/a/b --ca c --certificate d "
        + "--certificate-key e --credentials f", .record
    ) {
      ($0.destination, $0.backends) = ("a.gpx", [.mqtt])
      ($0.broker.url, $0.broker.topic) = ("mqtts://a:1", "owntracks/a/b")
      ($0.broker.authority, $0.broker.certificate) = ("c", "d")
      ($0.broker.certificateKey, $0.broker.credentials) = ("e", "f")
    },
    Good("devices --policy=p.json", .devices) { $0.policy = "p.json" },
  ]

  @Test(arguments: good)
  func validArgumentsAreParsed(_ example: Good) throws {
    #expect(try Invocation.parse(words(example.words)) == example.invocation)
  }

  private static func point(_ latitude: Double, _ longitude: Double) -> Coordinate {
    guard let point = try? Coordinate(latitude: latitude, longitude: longitude) else {
      preconditionFailure("A point of a test is valid.")
    }
    return point
  }

  static let bad: [(words: String, message: String)] = [
    (
      "",
      "a command is needed: watch, once, headings, sky, fences, place, reports, devices, "
        + "authorization, doctor, record, convert, plot, stats, publish, fleet, history, "
        + "completions, manual"
    ),
    (
      "plot a.gpx",
      "plot needs IN, the path of a recording or -, or --conditions FILE, and --output FILE"
    ),
    (
      "plot -o a.svg",
      "plot needs IN, the path of a recording or -, or --conditions FILE, and --output FILE"
    ),
    (
      "watch --backend nmea",
      "--port is missing: --port /dev/ttyUSB0, tcp://HOST:PORT or udp://:PORT"
    ),
    (
      "watch --backend nmea --port 5",
      "--port: \"5\" is no source of NMEA 0183. Use the path of a serial port, such as /dev/ttyUSB0, "
        + "tcp://HOST:PORT or udp://:PORT."
    ),
    (
      "watch --backend nmea --port /dev/a --host b",
      "--host locates gpsd; --backend nmea does not use it"
    ),
    (
      "watch --backend nmea --port /dev/a --device b",
      "--device selects one of gpsd's receivers; --port names the source"
    ),
    (
      "watch --backend geoclue --port 5", "--port locates gpsd; --backend geoclue does not use it"
    ),
    (
      "sky --backend geoclue",
      "--backend geoclue has locations only; watch, once, fences, publish, doctor and record use it"
    ),
    (
      "watch --backend gpsd,nmea",
      "--port is missing: --port /dev/ttyUSB0, tcp://HOST:PORT or udp://:PORT"
    ),
    (
      "watch --backend gpsd,nmea --port 5",
      "--port is missing: --port /dev/ttyUSB0, tcp://HOST:PORT or udp://:PORT"
    ),
    (
      "watch --backend gpsd,nmea --port udp:// --port 0",
      "--port is a whole number, 1...65535; got '0'"
    ),
    (
      "watch --backend gpsd,nmea --transport shared-memory --port udp:// --port 5",
      "--port needs --transport socket; shared memory is local"
    ),
    (
      "watch --backend gpsd,replay",
      "--backend replay is used alone; gpsd, geoclue and nmea can be combined"
    ),
    (
      "watch --backend mqtt,gpsd --broker mqtt://a --topic owntracks/a/b",
      "--backend mqtt is used alone; gpsd, geoclue and nmea can be combined"
    ),
    ("watch --backend gpsd,gpsd", "--backend names gpsd twice"),
    ("watch --backend gpsd,", "--backend is one of gpsd, geoclue, nmea, replay, mqtt; got ''"),
    (
      "watch --backend gpsd,nema",
      "--backend is one of gpsd, geoclue, nmea, replay, mqtt; got 'nema'; did you mean nmea?"
    ),
    (
      "watch --backend geoclue,nmea --port udp:// --host b",
      "--host locates gpsd; --backend geoclue,nmea does not use it"
    ),
    (
      "watch --backend geoclue,nmea --port udp:// --device b",
      "--device selects one of gpsd's receivers; GeoClue names none"
    ),
    (
      "sky --backend gpsd,geoclue",
      "--backend geoclue has locations only; watch, once, fences, publish, doctor and record use it"
    ),
    ("watch --backend gpsd,geoclue --rate 5", "--rate needs --backend replay"),
    ("doctor --backend mqtt", "doctor diagnoses --backend gpsd, geoclue or nmea"),
    (
      "devices --backend nmea",
      "devices does not take --backend; watch, once, headings, sky, "
        + "fences, doctor, record and publish do"
    ),
    ("plot a b -o a.svg --over time", "--over is for a picture of one recording"),
    ("plot a b -o a.svg --color-by speed", "--color-by is for a picture of one recording"),
    ("plot - a - -o a.svg", "standard input can be read only once"),
    ("plot a -o a.svg --over land", "--over is one of time, distance; got 'land'"),
    ("plot a -o a.png", "'a.png' does not end in .svg or .html"),
    ("plot a -o", "--output needs a value: --output FILE.svg|FILE.html"),
    (
      "plot a -o a.svg --color-by time", "--color-by is one of speed, altitude; got 'time'"
    ),
    (
      "plot a -o a.svg --port 5",
      "plot does not take --port; watch, once, headings, sky, fences, "
        + "reports, devices, doctor, record and publish do"
    ),
    ("sky --plot a.html", "'a.html' does not end in .svg"),
    (
      "watch --backend mqtt --topic owntracks/jane/boat",
      "--broker is missing: --broker mqtt://HOST or mqtts://HOST, with :PORT if it is not the usual "
        + "one"
    ),
    (
      "once --backend mqtt --broker mqtt://a",
      "--topic is missing: --topic owntracks/USER/DEVICE, such as owntracks/jane/boat"
    ),
    (
      "watch --backend mqtt --broker mqtt://a --topic owntracks/+/boat",
      "--topic is owntracks/USER/DEVICE, such as owntracks/jane/boat; got 'owntracks/+/boat'"
    ),
    (
      "watch --backend mqtt --broker http://a --topic owntracks/a/b",
      "--broker: \"http://a\" is not the address of an MQTT broker: it must begin with mqtt:// or "
        + "mqtts://. Write, for example, mqtt://broker.local:1883, or mqtt://a.local,b.local for two "
        + "nodes."
    ),
    (
      "watch --backend mqtt --broker mqtt://a --topic owntracks/a/b --ca c",
      "certificates need TLS: --broker mqtts://HOST"
    ),
    (
      "watch --backend mqtt --broker mqtts://a --topic owntracks/a/b --certificate c",
      "--certificate and --certificate-key need each other"
    ),
    ("watch --broker mqtt://a", "--broker needs --backend mqtt"),
    (
      "watch --backend mqtt --broker mqtt://a --topic owntracks/a/b --host h",
      "--host locates gpsd; --backend mqtt does not use it"
    ),
    (
      "sky --backend mqtt",
      "--backend mqtt has locations only; watch, once, fences and record use it"
    ),
    ("sky --replace", "--replace needs --plot"),
    ("completions", "completions needs a shell: bash, zsh, fish"),
    ("completions csh", "completions needs a shell: bash, zsh, fish"),
    ("manual wach", "unknown command 'wach'"),
    ("fleet --broker mqtt://a --zone UTC", "--zone needs --plot"),
    (
      "fleet --broker mqtt://a --storage a.db --group g",
      "--storage and --group exclude each other: a member of a group sees a part of each device"
    ),
    (
      "fleet --broker mqtt://a --partition three",
      "--partition is the number of a partition, such as 3 or fleet/3; got 'three'"
    ),
    (
      "fleet --broker mqtt://a --partition 03",
      "--partition is the number of a partition, such as 3 or fleet/3; got '03'"
    ),
    (
      "fleet --broker mqtt://a --partition fleet/",
      "--partition is the number of a partition, such as 3 or fleet/3; got 'fleet/'"
    ),
    (
      "fleet --broker mqtt://a --partition -1",
      "--partition is the number of a partition, such as 3 or fleet/3; got '-1'"
    ),
    (
      "fleet --broker mqtt://a --storage a.svg --plot a.svg",
      "--storage and --plot name the same file"
    ),
    ("history a/b", "--storage is missing: --storage FILE|URI"),
    ("history --storage a", "history needs either USER/DEVICE or --conditions FILE"),
    (
      "history a --storage a", "a device is USER/DEVICE, such as jane/boat; got 'a'"
    ),
    (
      "history a/b --storage a --from 2026-01-02T00:00:00Z --until 2026-01-01T00:00:00Z",
      "--from must be before --until"
    ),
    (
      "history a/b --storage a --at yesterday",
      "--at is a time such as 2026-11-30T08:00:00Z; got 'yesterday'"
    ),
    (
      "sky --plot a.svg --count 2",
      "--count is for views that are printed; --plot writes one picture"
    ),
    ("wacth", "unknown command 'wacth'; did you mean watch?"),
    ("dev", "unknown command 'dev'; did you mean devices?"),
    ("xyzzy", "unknown command 'xyzzy'"),
    ("help wacth", "unknown command 'wacth'; did you mean watch?"),
    ("watch out", "'out' is an unexpected argument"),
    ("watch --devise x", "unknown option '--devise'; did you mean --device?"),
    ("watch --dev x", "unknown option '--dev'; did you mean --device?"),
    ("watch --device=x --qux", "unknown option '--qux'"),
    ("watch -x", "unknown option '-x'"),
    ("watch --devise=\u{1B}[2J", "unknown option '--devise'; did you mean --device?"),
    ("watch \u{1B}[2J", "'\\u001b[2J' is an unexpected argument"),
    ("watch --host", "--host needs a value: --host NAME"),
    ("watch --host --port 5", "--host needs a value: --host NAME"),
    ("watch --host=", "--host needs a value: --host NAME"),
    ("watch --no-color=yes", "--no-color takes no value"),
    ("watch --port 0", "--port is a whole number, 1...65535; got '0'"),
    ("watch --port 65536", "--port is a whole number, 1...65535; got '65536'"),
    ("watch --port -5", "--port is a whole number, 1...65535; got '-5'"),
    ("watch --port 2947x", "--port is a whole number, 1...65535; got '2947x'"),
    ("watch --count 0", "--count is a whole number, at least 1; got '0'"),
    (
      "watch --count 99999999999999999999",
      "--count is a whole number, at least 1; got '99999999999999999999'"
    ),
    ("watch --timeout nan", "--timeout is a number, 0.001...31536000; got 'nan'"),
    ("watch --timeout inf", "--timeout is a number, 0.001...31536000; got 'inf'"),
    ("watch --timeout 0", "--timeout is a number, 0.001...31536000; got '0'"),
    ("watch --timeout 0x5", "--timeout is a number, 0.001...31536000; got '0x5'"),
    ("watch --timeout .", "--timeout is a number, 0.001...31536000; got '.'"),
    ("watch --distance -1", "--distance is a number, 0...50000000; got '-1'"),
    (
      "watch --format jsn", "--format is one of text, json; got 'jsn'; did you mean json?"
    ),
    ("watch --backend mock", "--backend is one of gpsd, geoclue, nmea, replay, mqtt; got 'mock'"),
    (
      "once --count 3",
      "once does not take --count; watch, headings, sky, fences, reports, record, publish, fleet "
        + "and history do"
    ),
    (
      "devices --device x",
      "devices does not take --device; watch, once, headings, fences, reports, doctor, record, "
        + "convert, plot, stats and publish do"
    ),
    (
      "authorization --host x",
      "authorization does not take --host; watch, once, headings, sky, fences, reports, devices, "
        + "doctor, record and publish do"
    ),
    ("watch --client map", "--client selects a rule of the policy file; it needs --policy"),
    ("watch --key k", "--key applies to the reduced accuracy of a policy; it needs --policy"),
    ("authorization --policy", "--policy needs a value: --policy FILE"),
    ("once --distance 5", "once does not take --distance; watch, record and publish do"),
    (
      "once --rate 5 --accuracy 1 --interval 1",
      "once does not take --interval; watch, record and publish do"
    ),
    ("record", "record needs FILE, the path of the recording to write"),
    ("record a.gpx b", "'b' is an unexpected argument"),
    ("record a.gpx --append --replace", "--append and --replace exclude each other"),
    (
      "record a.gpx --rotate 1h --append",
      "--append is for one file; --rotate always begins new ones"
    ),
    ("place", "place needs LAT LON or a NAME"),
    ("place ,", "place needs LAT LON or a NAME"),
    ("place 47", "a point has two numbers, LAT LON, not 1"),
    ("place 1 2 3", "a point has two numbers, LAT LON, not 3"),
    (
      "place 95 0",
      "latitude must be finite, at least -90.0 and at most 90.0; are latitude and longitude "
        + "exchanged?"
    ),
    ("place --limit 0 a", "--limit is a whole number, at least 1; got '0'"),
    (
      "place a --locale de,x!",
      "--locale is languages separated by commas, such as de-CH,en; got 'de,x!'"
    ),
    ("place a --timeout 3", "--timeout limits the wait for a server; it needs --nominatim"),
    ("place a --places", "place does not take --places; watch, stats and history do"),
    (
      "place a --policy p",
      "place does not take --policy; watch, once, headings, sky, fences, reports, devices, "
        + "authorization, doctor, record and publish do"
    ),
    ("watch --locale de", "--locale needs --places"),
    ("watch --nominatim u", "--nominatim needs --places"),
    ("once --places", "once does not take --places; watch, stats and history do"),
    ("watch -5", "'-5' is an unexpected argument"),
    ("fences", "fences needs --conditions FILE, a GeoJSON file of areas"),
    ("fences --conditions", "--conditions needs a value: --conditions FILE"),
    ("watch --state s", "watch does not take --state; fences does"),
    (
      "fences --conditions a --distance 5",
      "fences does not take --distance; watch, record and publish do"
    ),
    ("convert", "convert needs IN and OUT, the paths of two files; - is standard input or output"),
    (
      "convert a.gpx",
      "convert needs IN and OUT, the paths of two files; - is standard input or output"
    ),
    ("convert a b.gpx c", "'c' is an unexpected argument"),
    (
      "convert a -",
      "the name of the file tells no format; add --format, one of gpx, kml, geojson, geojson-lines, "
        + "geojsonseq, geojsonl, csv, gpsd, locations"
    ),
    (
      "convert a b --format gpxx",
      "--format is one of gpx, kml, geojson, geojson-lines, geojsonseq, geojsonl, csv, gpsd, "
        + "locations; got 'gpxx'; did you mean gpx?"
    ),
    ("stats", "stats needs IN, the path of a recording; - is standard input"),
    ("stats a b", "'b' is an unexpected argument"),
    ("record a.gpx --partial", "record does not take --partial; convert, plot and stats do"),
    ("stats a --simplify 5", "stats does not take --simplify; convert does"),
    (
      "stats a --host h",
      "stats does not take --host; watch, once, headings, sky, fences, reports, "
        + "devices, doctor, record and publish do"
    ),
    ("watch --rate 5", "--rate needs --backend replay"),
    ("watch --file a.gpx", "--file needs --backend replay"),
    (
      "watch --backend replay --host pi",
      "--host locates gpsd; --backend replay does not use it"
    ),
    (
      "watch --backend replay --device x",
      "--device selects one of gpsd's receivers; a replay has only one"
    ),
    (
      "watch --transport shared-memory --port 5",
      "--port needs --transport socket; shared memory is local"
    ),
    ("watch --device \u{7}", "--device is text without control characters; got '\\u0007'"),
  ]

  @Test(arguments: bad)
  func refuses(words: String, message: String) {
    let error = #expect(throws: UsageError.self) { try Invocation.parse(self.words(words)) }
    #expect(error?.message == message)
  }

  @Test func errorsNameTheCommand() {
    let error = #expect(throws: UsageError.self) {
      try Invocation.parse(["once", "--port", "x"])
    }
    #expect(error?.command == .once)
  }

  static let options: [(Command, String)] = [
    (
      .watch,
      """
      accuracy backend broker ca certificate certificate-key client color count \
      credentials device distance file format host interval key locale no-color nominatim \
      places policy port rate timeout topic transport
      """
    ),
    (
      .once,
      """
      accuracy backend broker ca certificate certificate-key client color credentials \
      device file format host key no-color policy port rate timeout topic transport
      """
    ),
    (
      .headings,
      """
      backend client color count device file format host key no-color policy port rate \
      timeout transport
      """
    ),
    (
      .sky,
      """
      backend client color count file format host key no-color plot policy port rate \
      replace timeout transport
      """
    ),
    (
      .fences,
      """
      all backend broker ca certificate certificate-key client color conditions count \
      credentials device file format host key no-color policy port rate state timeout \
      topic transport
      """
    ),
    (
      .place,
      """
      color format limit locale no-color nominatim timeout
      """
    ),
    (
      .reports,
      """
      class client color count device format host key no-color policy port timeout
      """
    ),
    (
      .devices,
      """
      client color format host key no-color policy port timeout
      """
    ),
    (
      .authorization,
      """
      client color format key no-color policy
      """
    ),
    (
      .doctor,
      """
      backend client color device format host key no-color policy port timeout transport
      """
    ),
    (
      .record,
      """
      accuracy append backend broker ca certificate certificate-key client color count \
      credentials device distance duration file format host interval key no-color policy \
      port rate replace rotate timeout topic transport
      """
    ),
    (
      .convert,
      """
      color device format max-gap no-color partial replace simplify
      """
    ),
    (
      .plot,
      """
      basemap color-by conditions device max-gap output over partial replace title zone
      """
    ),
    (
      .stats,
      """
      color device format locale max-gap no-color nominatim partial places trips
      """
    ),
    (
      .publish,
      """
      accuracy backend broker ca certificate certificate-key client color confirm count \
      credentials device distance duration file format host interval key no-color policy \
      port rate status storage timeout topic tracker-id transport
      """
    ),
    (
      .fleet,
      """
      broker ca certificate certificate-key color conditions count credentials format \
      group messages no-color partition plot replace storage timeout topic zone
      """
    ),
    (
      .history,
      "at color conditions count format from locale no-color nominatim places storage trips until"
    ),
    (.completions, ""),
    (.manual, ""),
  ]

  @Test func eachCommandHasItsOptions() {
    #expect(Self.options.map(\.0) == Command.allCases)
    for (command, names) in Self.options {
      let options = command.options.subtracting([.help, .version]).map(\.rawValue)
      #expect(options.sorted() == words(names), "\(command.name)")
    }
  }

  @Test(arguments: Command.allCases)
  func helpNamesEveryOptionOfACommand(_ command: Command) {
    let text = Help.text(command)
    for option in Option.allCases where option != .version {
      #expect(
        text.contains("  \(option.flag) ") == option.commands.contains(command), "\(option.flag)")
    }
  }

  /// A broker as a source has locations only, and `publish` does not read from a broker.
  @Test(arguments: [.headings, .publish, .sky] as [Command])
  func helpDoesNotListMQTTAsABackend(_ command: Command) {
    #expect(Help.text(command).contains("nmea|replay\n"))
    #expect(!Help.text(command).contains("|mqtt"))
  }

  @Test(arguments: [nil] + Command.allCases)
  func helpFitsATerminal(_ command: Command?) {
    for line in Help.text(command).split(separator: "\n") { #expect(line.count <= 100, "\(line)") }
  }

  private func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }
}

@Suite(.inTurn) struct NearestNameTests {
  @Test(arguments: [
    ("", "", 0), ("abc", "abc", 0), ("abc", "", 3), ("abc", "acb", 1), ("abc", "abd", 1),
    ("abc", "ab", 1), ("kitten", "sitting", 3), ("ca", "abc", 3),
  ])
  func editDistancesAreCounted(left: String, right: String, count: Int) {
    #expect(NearestName.edits(left, right) == count)
    #expect(NearestName.edits(right, left) == count)
  }

  @Test func longAndEmptyWordsHaveNoNearestName() {
    #expect(NearestName.find(String(repeating: "a", count: 41), in: ["a"]) == nil)
    #expect(NearestName.find("--", in: ["--host", "--port"]) == nil)
  }
}
