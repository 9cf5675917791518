/// The texts of `--help`.
enum Help {
  static let name = "async-location-example"
  static let version = "0.1.0"

  static func text(_ command: Command?) -> String {
    command.map(page) ?? overview
  }

  private static let overview = """
    Shows the location, from gpsd or from a recorded drive.

    Usage: \(name) COMMAND [OPTIONS]

    Commands:
    \(rows(Command.allCases.map { ($0.rawValue, $0.summary) }))

    See '\(name) COMMAND --help' for the options of a command.
    Without a receiver, try '\(name) watch --backend replay --rate 10'.

    \(statuses)
    """

  private static func page(_ command: Command) -> String {
    let options = Option.allCases.filter { $0.commands.contains(command) && $0 != .version }
    let table = rows(
      options.map { option in
        command.writesRecordings && option == .format
          ? ("--format NAME", "The format of the file (default: by its name)")
          : (option.flag + (option.placeholder.map { " " + $0 } ?? ""), option.summary)
      })
    return """
      \(command.summary)

      Usage: \(name) \(command.rawValue)\(command.words) [OPTIONS]

      Options:
      \(table)

      \(notes(command))

      \(statuses)
      """
  }

  private static func notes(_ command: Command) -> String {
    switch command {
    case .watch:
      """
      In a terminal: a table, redrawn in place. Elsewhere, or when TERM is dumb: one line for
      each location, with these columns, '-' where the value is unknown:
      \(rows(LocationLine.columns.map { ($0.name, $0.meaning) }))
      With --format json: one location per line, as the library encodes it, without absent members.
      With --places, the place of the last movement of 100 meters or more precedes the receiver, in
      quotes, with its distance from this location; in JSON it is the member placemark. The first
      line waits for its place. When the server of --nominatim fails, the places in the tool are
      used.
      With --backend mqtt: the locations of one device that publishes to a broker, such as
      --broker mqtt://localhost --topic owntracks/jane/boat. User name and password come from
      --credentials, else from the environment: MQTT_USER and MQTT_PASSWORD.
      Locations go to standard output, messages to standard error. Without --count an interrupt
      (Ctrl-C) ends the command with status 0.
      """
    case .place:
      """
      The places of a point are the nearest one, and the city that it belongs to; those of a name
      come best first, and what they are in may follow: 'Paris, TX'. They are in the tool: it needs
      no network. One line for each place, with these columns, '-' where the value is unknown:
      \(rows(PlaceLine.columns.map { ($0.name, $0.meaning) }))
      With --format json: one place per line, as the library encodes it. Status 1 when there is none,
      or only a part of what was asked for: a point far from any place, a name that is not where the
      words after it say. Words that no country or division has are those of a place nearby, or of none.
      --nominatim asks a server, such as http://localhost:8080, and gives up after 10 seconds or
      --timeout. Negative numbers need no '--'.
      """
    case .plot:
      """
      IN is a recording in any format that --file of other commands reads; - is standard input. Several
      are drawn on one map, each with a color and its name. The picture of one has a map with the largest
      places, profiles of speed and altitude, waypoints with their names, stops of three
      minutes or more, and gaps. The map has the extent of the track: waypoints beyond it are listed
      only. --conditions draws the areas of a file, as for fences, below the tracks; without IN it draws
      them alone. A page has also a cursor, the numbers, and lists of waypoints, stops and gaps. Both
      need no network, and follow the reader's choice of light or dark. The file is readable by its
      owner only.
      """
    case .once:
      """
      Without --timeout it waits 60 seconds. If only locations worse than --accuracy arrive, it
      prints the best of them at the end of that time.
      """
    case .headings:
      """
      One line for each heading that differs by a degree or more, with these columns:
      \(rows(HeadingLine.columns.map { ($0.name, $0.meaning) }))
      With --format json: one heading per line, as the library encodes it. Needs full accuracy.
      """
    case .sky:
      """
      In a terminal: a table for each report. Elsewhere one line, with these columns:
      \(rows(SkyLine.columns.map { ($0.name, $0.meaning) }))
      With --format json: one view per line, as the library encodes it. Needs full accuracy.
      """
    case .fences:
      """
      FILE is a GeoJSON FeatureCollection or Feature. A Point with the property radius is a circle, a
      LineString with the property width a corridor, both in meters; a Polygon may have holes. The
      identifier is the member id, else the property identifier or name. The parts of a MultiPoint,
      MultiLineString or MultiPolygon are conditions of their own: id/1, id/2 and so on; a single
      part is id. The property dwell is a number of seconds inside before an event, by the times of
      the locations; expiry is a time such as 2030-09-01T18:00:00Z, after which the area is not
      monitored. Anything else is ignored.

      One line for each event, with these columns, '-' where the value is unknown:
      \(rows(FenceLine.columns.map { ($0.name, $0.meaning) }))
      With --format json: one event per line, with identifier, number, previousState, state,
      timestamp and location, and with diagnostics and isRepeated if they apply.
      Every condition starts as unknown; its first state is printed with --all. With --state,
      conditions that the file describes as before keep their state, and an event that was not
      printed is printed by the next run. With --timeout, the command gives up when none is printed
      for that long. Needs full accuracy.
      Events go to standard output, messages to standard error. Without --count an interrupt
      (Ctrl-C) ends the command with status 0.
      """
    case .convert:
      """
      IN is GPX, KML, TCX, FIT, IGC, NMEA 0183, gpsd's JSON, GeoJSON, CSV, OwnTracks' messages,
      Google's location history or locations in JSON, recognized by its content; gzip or ZIP may
      have compressed it.
      OUT has the format of its name, .gpx, .kml, .geojson or .json, .geojsonl, .geojsons, .csv, or
      .jsonl for gpsd's JSON, or that of --format, one of:
      \(Arguments.formatNames)
      - is standard input or output. Locations are converted, the name of the track and, to GPX, KML
      and GeoJSON, waypoints; to GPX, GeoJSON with points and CSV also heart rate, cadence, power,
      temperatures and depth. A location without a date gets a date from now on.
      The locations of GPX are the points of its tracks; without any, those of its routes; without
      routes, its waypoints. Standard error says what is left out. Waypoints that come after a track
      are left out of GPX if IN or OUT is -; then the status is 1.
      OUT appears when it is complete, for its owner only. One that exists is an error without
      --replace; a symbolic link, a directory or a pipe always is. --simplify compares positions
      only. --device selects a receiver of a recording with several.
      Parts of IN that are not understood are skipped, and counted on standard error; then the
      status is 1. An IN that is damaged or cut is an error, and nothing is written; with --partial,
      what precedes the damage is written, standard error says where that is, and the status is 1.
      Memory does not grow with IN.
      """
    case .stats:
      """
      IN is a recording, as for convert; - is standard input. One line for each number: meters,
      seconds, meters per second, degrees; '-' where it is unknown. With --format json: one object, with
      format, name, points, segments, skipped, start, end, duration, recordedTime, movingTime, length,
      movingLength, averageSpeed, averageMovingSpeed, maximumSpeed, ascent, descent, lowestAltitude,
      highestAltitude, gaps, gapTime, longestGap, gapDistance and bounds, unless they are unknown.
      Routes and waypoints beside a track do not count; standard error says how many there are.
      A gap counts neither as length nor as recorded time: a time without a location that is longer
      than a minute and than five times the usual one, the median of the first 10,000; or than
      --max-gap. A rest of a minute or more counts neither as moving nor as ascent, and a single spike
      is no maximum speed. Bounds are south, west, north, east.
      Parts of IN that are not understood are skipped, and counted on standard error; then the
      status is 1. With --partial, so is what follows the damage of an IN that is damaged or cut.
      """
    case .doctor:
      """
      Checks library, daemon, permission, receivers, sky, fix and time, and prints for each: ok,
      warning, problem, or skipped. With --format json: one object per line, with check, result,
      finding and any advice. Never prints a position. Watches for up to 10 seconds, or --timeout.
      Status 0 without a problem, 3 if permission is missing, else 1.
      """
    case .record:
      """
      The format is that of --format, else of the name: .gpx, .geojson or .json, .geojsonl,
      .geojsons, .csv, or .jsonl for gpsd's reports of positions. The file can be read at any time:
      each location is written at once, and synchronized with the disk within 10 seconds, so that a
      killed process loses none, and a loss of power at most those of 10 seconds. Its mode is 0600. A
      file that exists is left alone, unless --append or --replace is given. While the disk is full,
      up to 6,000 locations wait for room. A loss of the fix begins a segment, and so do a time
      without a location that is longer than a minute and than five times the usual one, and a change
      between full and reduced accuracy.
      --distance and --interval count from the location that was recorded last, and from its time; seven
      eighths of the interval are enough. With --rotate, the time is added to the name of each file:
      drive-20260504T030201Z.gpx. Its units are B, kB, MB and GB; s, min, h and d; m and km.
      Messages, the progress in a terminal and a summary go to standard error. Without --count an
      interrupt (Ctrl-C) ends the command with status 0; the file is complete. Status 1 when locations
      were lost. For gpsd's own reports with all members, use
      '\(name) reports --format json'.
      """
    case .publish:
      """
      Publishes the locations of gpsd or a replay as OwnTracks' JSON, so that its apps and its
      Recorder can take part. User name and password come from --credentials, else from the
      environment: MQTT_USER and MQTT_PASSWORD.
      While the broker cannot be reached, locations wait: up to 100,000, 64 MiB and 7 days. With
      --storage they are sent by the next run if this one ends before. Each is delivered at least once.
      A replay ends when everything is delivered, as --count does; --duration waits 5 seconds for it.
      With --timeout, the command gives up with status 4 when no location arrived and none was delivered
      for that long. The file of --storage is created in a directory that exists; one that is damaged is
      renamed, and a message says so. One that cannot be written is an error at the start.
      --status publishes to owntracks/USER/DEVICE/status, which the broker's rules must permit: one
      that is refused waits, and --count waits for it. Otherwise these messages do not count. The last
      one remains at the broker after the end.
      Nothing is printed on standard output. Messages, the status in a terminal and a summary go to
      standard error. Without --count an interrupt (Ctrl-C) ends the command with status 0. Status 1
      when locations were dropped, refused by the broker or lost, also those that waited in memory.
      When permission is withdrawn, what waits is deleted, and the status is 3.
      \(brokerStatuses)
      """
    case .fleet:
      """
      In a terminal: a table of the devices, redrawn in place. Age is the time since the last location
      arrived; '-' if only one that the broker had kept has. Elsewhere, or when TERM is dumb: a line for
      each location, with these columns, '-' where the value is unknown:
      \(rows(FleetLine.locationColumns.map { ($0.name, $0.meaning) }))
      For each change of presence:
      \(rows(FleetLine.presenceColumns.map { ($0.name, $0.meaning) }))
      With --conditions, a file as for fences, for each area that a device enters or leaves:
      \(rows(FleetLine.eventColumns.map { ($0.name, $0.meaning) }))
      Lines of different kinds have no order between them. A space in the name of a device is printed as
      \\u0020.
      With --format json: one object per line: a location as the library encodes it, with device and
      isRetained; or one with the member presence, or with the member event, which is the new state.
      --count counts locations. --plot writes a map of all tracks and areas at the end, also of an
      interrupt: up to 250,000 locations. User name and password come from --credentials, else from
      the environment: MQTT_USER and MQTT_PASSWORD.
      Devices are not trusted: messages that are not understood, too large, too many, late or repeated
      are dropped, and counted on standard error at the end. Without --count an interrupt (Ctrl-C) ends
      the command with status 0. Status 1 when lines were dropped because they were read too slowly.
      \(brokerStatuses)
      """
    case .devices:
      """
      In text: path, driver, model, whether gpsd has it open, and the rate of its reports.
      gpsd opens some only when they are watched. Waits for 5 seconds, or --timeout.
      """
    case .authorization:
      """
      With --policy: the current permission of the client, and the line of the file that decides it.
      Status 3 when nothing is granted, for use in scripts.
      """
    case .reports:
      """
      In text: the class, the receiver ('-' when the report names none) and the line as gpsd sent
      it. With --format json: one report per line, with the known fields in the units of gpsd's
      documentation. TOFF and PPS are printed only if --class names them. Reports contain exact
      positions and need permission with full accuracy.
      Reports go to standard output, messages to standard error. Without --count an interrupt
      (Ctrl-C) ends the command with status 0.
      Up to 32 MB of reports are buffered for a slow reader. Beyond that the oldest are dropped;
      their number is printed on standard error, and the status is 1.
      """
    }
  }

  private static let brokerStatuses = """
    Status 2 when a file of credentials or certificates cannot be used, 3 when the broker refuses this
    client, its user name or password, 1 when TLS fails or the broker's certificate is refused.
    """

  private static let statuses = """
    Exit status: 0 done, 1 failed, 2 usage, 3 no permission, 4 timed out; 129, 130 or 143 when a signal
    (SIGHUP, SIGINT, SIGTERM) arrived before the command was done. Another signal, half a second after
    the first or later, ends it at once.
    """

  /// Two columns; text that does not fit in the second column goes on the next line.
  private static func rows(_ rows: [(String, String)]) -> String {
    let width = rows.map(\.0.count).filter { $0 <= 24 }.max() ?? 0
    return rows.map { left, right in
      left.count > width
        ? "  \(left)\n  " + String(repeating: " ", count: width) + "  \(right)"
        : "  " + TextWidth.pad(left, width) + "  \(right)"
    }.joined(separator: "\n")
  }
}
