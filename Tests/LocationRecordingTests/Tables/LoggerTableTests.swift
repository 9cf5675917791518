import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import LocationRecording

/// F83: tables of loggers and spreadsheets. Parts that are not understood are skipped and counted.
@Suite(.inTurn) struct LoggerTableTests {
  struct Table: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: String

    init(_ description: String, _ text: String) {
      (testDescription, self.text) = (description, text)
    }
  }

  private static let noon = "2026-05-04T12:00:00Z"

  /// Each table is of 46.915° S, 69.635° W, 100 m, 10 m/s, 90°, 2026-05-04 12:00 UTC.
  static let tables = [
    Table(
      "letters in columns",
      "lat,N/S,lon,E/W,alt,speed,course,time\n46.915,S,69.635,W,100,10,90,\(noon)"),
    Table(
      "letters and signs",
      "lat,N/S,lon,E/W,alt,speed,course,time\n-46.915,S,-69.635,W,100,10,90,\(noon)"),
    Table(
      "letters in columns without a name",
      "Lat\t\t\tLon\t\t\tAltitude (m)\tSpeed (m/s)\tCourse (°)\tTime\n"
        + "46.915\tS\t46° 54.9' S\t69.635\tW\t69° 38.1' W\t100\t10\t90\t46146.5"),
    Table(
      "references as words",
      "Latitude,Latitude Ref,Longitude,Longitude Ref,alt,speed,course,time\n"
        + "46.915,South,69.635,West,100,10,90,\(noon)"),
    Table(
      "references of photographs",
      "GPSLatitudeRef,GPSLatitude,GPSLongitudeRef,GPSLongitude,alt,speed,course,time\n"
        + "S,46.915,W,69.635,100,10,90,\(noon)"),
    Table(
      "directions",
      "lat,lat_dir,lon,lon_dir,alt,speed,course,time\n46.915,S,69.635,W,100,10,90,\(noon)"),
    Table(
      "directions in the names",
      "lat,lon,NORTH/SOUTH,EAST/WEST,alt,speed,course,time\n"
        + "46.915,69.635,SOUTH,WEST,100,10,90,\(noon)"),
    Table(
      "letters in columns with another name",
      "lat,Hemisphere,lon,Hemisphere,alt,speed,course,time\n"
        + "46.915,S,69.635,W,100,10,90,\(noon)"),
    Table(
      "a column after a coordinate that has other text",
      "lat,Hemisphere,lon,note,alt,speed,course,time\n-46.915,S,-69.635,E 5,100,10,90,\(noon)"),
    Table(
      "a letter without a name after the latitude alone",
      "Lat,,Lon,note,alt,speed,course,time\n46.915,S,-69.635,hello,100,10,90,\(noon)"),
    Table(
      "letters in columns with other names elsewhere",
      "time,lat,lon,S/N,W/E,alt,speed,course\n\(noon),46.915,69.635,S,W,100,10,90"),
    Table(
      "coordinates of a reference",
      "lat,lon,lat_ref,lon_ref,alt,speed,course,time\n-46.915,-69.635,46.8,69.5,100,10,90,\(noon)"),
    Table(
      "references without text",
      "lat,lat_dir,lon,lon_dir,alt,speed,course,time\n-46.915,,-69.635,,100,10,90,\(noon)"),
    Table(
      "a line of units with patterns of times",
      "lat,lon,date,time,alt,speed,course\ndeg,deg,yyyy-mm-dd,hh:mm:ss,m,m/s,deg\n"
        + "-46.915,-69.635,2026-05-04,12:00:00,100,10,90"),
    Table(
      "a direction after the longitude",
      "lat,lon,direction,alt,speed,course,time\n-46.915,-69.635,E,100,10,90,\(noon)"),
    Table(
      "a MediaTek logger",
      "INDEX,RCR,DATE,TIME,VALID,LATITUDE,N/S,LONGITUDE,E/W,HEIGHT,SPEED,HEADING,NSAT (USED/VIEW)\n"
        + "1,T,2026/05/04,12:00:00,SPS,46.915,S,69.635,W,100 M,36,90,8(11)"),
    Table(
      "a MediaTek logger with units and the day first",
      "INDEX,RCR,DATE,TIME,VALID,LATITUDE,N/S,LONGITUDE,E/W,HEIGHT(m),SPEED(km/h),HEADING\n"
        + "1,T,04/05/2026,12:00:00,SPS,46.915,S,69.635,W,100,36.0 km/h,90"),
    Table(
      "a MediaTek logger without satellites",
      "lat,lon,alt,speed,course,time,NSAT (USED/VIEW)\n-46.915,-69.635,100,10,90,\(noon),-1("),
    Table(
      "a Columbus logger",
      "INDEX,TAG,DATE,TIME,LATITUDE N/S,LONGITUDE E/W,HEIGHT,SPEED,HEADING\n"
        + "1,T,260504,120000,46.915000S,069.635000W,100,36,90"),
    Table(
      "ten-millionths of a degree, and milliseconds",
      "latitudeE7,longitude_e7,alt,speed,course,timestamp_ms\n"
        + "-469150000,-696350000,100,10,90,1777896000000"),
    Table(
      "members of an object",
      "location.latitude,location.lng,alt,speed,course,datetime_utc\n"
        + "-46.915,-69.635,100,10,90,2026-05-04 12:00:00"),
    Table(
      "names in German and abbreviations",
      "Breitengrad;Längengrad;Alt.;Speed;Course;GPS Time\n"
        + "-46,915;-69,635;100;10;90;2026-05-04 12:00:00"),
    Table(
      "a local date and time with an offset",
      "Local Time,utc_offset,lat,lon,alt,speed,course\n"
        + "2026-05-04 14:00:00,+02:00,-46.915,-69.635,100,10,90"),
    Table(
      "a time of another kind before the time",
      "created_at,gps_time,lat,lon,alt,speed,course,time\n"
        + "2026-05-05 01:00:00,345600.5,-46.915,-69.635,100,10,90,\(noon)"),
    Table(
      "fields that are padded with zeros",
      "INDEX,TAG,DATE,TIME,LATITUDE N/S,LONGITUDE E/W,HEIGHT,SPEED,HEADING,FIX MODE,VALID\n"
        + "1\u{0}\u{0},T,260504,120000,46.915000S,069.635000W,100\u{0}\u{0},36\u{0},90,3D,SPS \u{0}"
    ),
    Table(
      "numbers since another time before the time",
      "time_ms,epoch,gps_time,lat,lon,alt,speed,course,time\n0,1,2,-46.915,-69.635,100,10,90,\(noon)"
    ),
    Table(
      "places of other objects before the coordinates",
      "geo_lat,location.lat,location.lng,latitudeE7,lat,lon,geo_lon,alt,speed,course,time\n"
        + "1,2,3,4,-46.915,-69.635,5,100,10,90,\(noon)"),
    Table(
      "a date and a local time with an offset",
      "Date,Local Time,UTC Offset,lat,lon,alt,speed,course\n"
        + "2026-05-04,05:00:00,-7,-46.915,-69.635,100,10,90"),
    Table(
      "a local time with an offset of its own",
      "Local Time,lat,lon,alt,speed,course\n2026-05-04T14:00:00+02:00,-46.915,-69.635,100,10,90"),
    Table(
      "a date and a time in columns of UTC",
      "UTC Date,UTC Time,lat,lon,alt,speed,course\n2026-05-04,12:00:00,-46.915,-69.635,100,10,90"),
    Table(
      "a word after the time",
      "time,lat,lon,alt,speed,course\n2026-05-04 12:00:00 UTC,-46.915,-69.635,100,10,90"),
    Table(
      "an offset after a space",
      "time,lat,lon,alt,speed,course\n2026-05-04 14:00:00 +0200,-46.915,-69.635,100,10,90"),
    Table(
      "names in a comment",
      "# Timestamp,Latitude,Longitude,alt,speed,course\n\(noon),-46.915,-69.635,100,10,90"),
    Table(
      "units in brackets, and none of the time",
      "time,lat,lon,alt,speed,course\n,(deg),(deg),(ft),(km/h),(deg)\n"
        + "\(noon),-46.915,-69.635,328.0839895,36,90"),
    Table(
      "capitals that are not ASCII",
      "BREITENGRAD;LÄNGENGRAD;ALT;SPEED;COURSE;TIME\n-46,915;-69,635;100;10;90;\(noon)"),
    Table(
      "decimal commas beside points in coordinates",
      "lat;lon;alt;speed;course;time\n-46.915;-69.635;100,0;10,0;90;\(noon)"),
    Table(
      "letters after numbers",
      "lat,lon,alt,speed,course,time\n46.915S,69.635 W,100,10,90,\(noon)"),
    Table(
      "letters before numbers",
      "lat,lon,alt,speed,course,time\nS46.915,w 69.635,100,10,90,\(noon)"),
    Table(
      "degrees and minutes",
      "lat,lon,alt,speed,course,time\n46° 54.9' S,69:38.1W,100,10,90,\(noon)"),
    Table(
      "degrees, minutes and seconds",
      "lat;lon;alt;speed;course;time\n-46°54'54\";69°38'06″W;100;10;90;\(noon)"),
    Table(
      "SeeYou's cup",
      "name,lat,lon,elev,speed,bearing,time\nx,4654.900S,06938.100W,100m,10,90,\(noon)"),
    Table(
      "degrees and minutes with letters in columns",
      "lat,N/S,lon,E/W,alt,speed,COG,heading,time\n"
        + "4654.900,S,06938.100,W,100,10,90,270,\(noon)"),
    Table(
      "an invalid heading",
      "lat,lon,alt,speed,heading,course,time\n-46.915,-69.635,100,10,511,90,\(noon)"),
    Table(
      "units in the header",
      "lat,lon,Altitude (ft),Speed (km/h),Bearing (deg),time\n"
        + "-46.915,-69.635,328.0839895,36,90,\(noon)"),
    Table(
      "other units",
      "lat,lon,elevation[km],speed_mph,heading (rad),time\n"
        + "-46.915,-69.635,0.1,22.3693629,1.5707963268,\(noon)"),
    Table(
      "units after numbers",
      "lat,lon,alt,speed,course,time\n-46.915,-69.635,328.0839895ft,19.4384449 kn,90°,\(noon)"),
    Table(
      "quotation marks and commas in the header",
      "\"name, short\",\"lat\",\"lon\",\"Altitude (m)\",speed,course,time\n"
        + "a,-46.915,-69.635,100,10,90,\(noon)"),
    Table(
      "decimal commas",
      "lat;lon;alt;speed;course;Datum;time\n-46,915;-69,635;100,0;10,0;90,0;x;\(noon)"),
    Table(
      "coordinates with decimal commas between commas",
      "lat,lon,alt,speed,course,time\n\"-46,915\",\"-69,635\",100,10,90,\(noon)"),
    Table(
      "serial days", "lat,lon,alt,speed,course,time\n-46.915,-69.635,100,10,90,46146.5"),
    Table(
      "a date with points",
      "lat,lon,alt,speed,course,date,time\n-46.915,-69.635,100,10,90,04.05.2026,12:00:00"),
    Table(
      "a date and a time in one column",
      "lat,lon,alt,speed,course,time\n-46.915,-69.635,100,10,90,04.05.2026 12:00"),
    Table(
      "milliseconds since 1970",
      "lat,lon,alt,speed,course,timestamp_epoch\n-46.915,-69.635,100,10,90,1777896000000"),
    Table(
      "seconds since 1970, as the header states",
      "lat,lon,alt,speed,course,time (s)\n-46.915,-69.635,100,10,90,1777896000"),
    Table(
      "milliseconds since 1970, as the header states",
      "lat,lon,alt,speed,course,timestamp (ms)\n-46.915,-69.635,100,10,90,1777896000000"),
    Table(
      "serial days in UTC",
      "lat,lon,alt,speed,course,time (UTC)\n-46.915,-69.635,100,10,90,46146.5"),
    Table(
      "AIS, with knots",
      "MMSI,BaseDateTime,LAT,LON,SOG,COG,alt\n"
        + "2,2026-05-04T12:00:00,-46.915,-69.635,19.4384449,90,100"),
    Table(
      "a speed over ground with a unit",
      "lat,lon,GPS altitude,SOG (m/s),course over ground,time\n-46.915,-69.635,100,10,90,\(noon)"),
    Table(
      "a speed over ground with a unit in its name",
      "gps_lat,gps_lon,gps_alt,sog_kmh,COG,time\n-46.915,-69.635,100,36,90,\(noon)"),
    Table(
      "photographs as ExifTool prints them",
      "GPSAltitude,GPSAltitudeRef,GPSLatitude,GPSLongitude,GPSSpeed,GPSSpeedRef,GPSTrack,"
        + "GPSTrackRef,GPSDateStamp,GPSTimeStamp\n100 m Above Sea Level,Above Sea Level,"
        + "\"46 deg 54' 54.00\"\" S\",\"69 deg 38' 6.00\"\" W\",36,km/h,90,True North,"
        + "2026:05:04,12:00:00"),
    Table(
      "photographs with numbers",
      "GPSSpeedRef,GPSTrackRef,GPSAltitude,GPSLatitude,GPSLongitude,GPSSpeed,GPSTrack,GPSDateTime\n"
        + "N,T,100,-46.915,-69.635,19.4384449,90,2026:05:04 12:00:00Z"),
    Table(
      "photographs with a unit",
      "GPSAltitude (m),GPSLatitude,GPSLongitude,GPSSpeed (km/h),GPSImgDirection (true),time\n"
        + "100,-46.915,-69.635,36,90,\(noon)"),
    Table(
      "a title before the header",
      "Garmin 301 data x\nTimestamp,Latitude, Longitude, Altitude(ft),speed,course\n"
        + "1777896000,-46.915,-69.635,328.0839895F,10,90"),
  ]

  @Test("F83 columns have their meaning, units and hemispheres", arguments: tables)
  func reads(_ table: Table) throws {
    let recording = try recording(table.text + "\n")
    #expect(recording.format == .csv)
    #expect(recording.skipped.isEmpty, "\(recording.skipped)")
    let location = try #require(recording.locations.first)
    #expect(abs(location.latitude + 46.915) < 1e-9)
    #expect(abs(location.longitude + 69.635) < 1e-9)
    #expect(abs((location.altitude ?? 0) - 100) < 1e-6)
    #expect(abs((location.speed ?? 0) - 10) < 1e-6)
    #expect(abs((location.course ?? 0) - 90) < 1e-6)
    #expect(recording.times == [date(Self.noon)])
    #expect(recording.locations.count == 1)
  }

  /// The rest of each record is used, except in records without a position.
  @Test(
    "F83 unknown values are counted, and not guessed",
    arguments: [
      ("lat,N/S,lon,E/W\n46.9,X,69.6,W", 0), ("lat,N/S,lon,E/W\n46.9,,69.6,W", 0),
      ("lat,N/S,lon,E/W\n-46.9,N,69.6,E", 0), ("lat,N/S,lon,E/W\n46.9,E,69.6,W", 0),
      ("lat,lon,N/S,E/W\n46.9,69.6", 0), ("lat,ref,lon,ref\n1,S,2,W\n1,?,2,W", 1),
      ("lat,lat_dir,lon,lon_dir\n46.9,down,69.6,W", 0),
      ("lat,foo,lon,bar\n46.9,S,69.6,\n46.9,S,69.6,W", 1),
      ("lat,foo,lon,bar\n46.9,note,69.6,W\n46.9,S,69.6,W", 1),
      ("lat,lat_ref,lon,lon_ref\n1,S,2,W\n1,,2,W", 1),
      ("lat,lon\n46.9E,69.6", 0), ("lat,lon\n46°61',69", 0), ("lat,lon\n46.5°30',69", 0),
      ("lat,lon\n\"46,9,1\",69", 0), ("lat,lon\n1 2 3 4,69", 0),
      ("lat,lon\n4661.000S,06938.100W", 0),
      ("lat,lon,Speed (furlongs)\n46.9,69.6,3", 1), ("lat,lon,speed\n46.9,69.6,\"1,234\"", 1),
      ("lat,lon,speed\n46.9,69.6,12 furlongs", 1), ("lat,lon,altitude\n46.9,69.6,high", 1),
      ("lat,lon,date\n46.9,69.6,04/05/2026", 1), ("lat,lon,date\n46.9,69.6,31/02/2026", 1),
      ("lat,lon,time\n46.9,69.6,17", 1), ("lat,lon,time (local)\n46.9,69.6,12:00:00", 1),
      ("lat,lon,date,time\n46.9,69.6,soon,12:00:00", 1), ("lat,lon,time\n46.9,69.6,023519", 1),
      ("lat,lon,time\n46.9,69.6,30000", 1), ("lat,lon,time\n46.9,69.6,20260504101112", 1),
      ("lat,lon,time (s)\n46.9,69.6,45296.25", 1), ("lat,lon,time (unix)\n46.9,69.6,46146.5", 1),
      ("lat,lon,timestamp (ms)\n46.9,69.6,1777896000", 1),
      ("lat,lon,timestamp (ms)\n46.9,69.6,46146.5", 1),
      ("lat,lon,timestamp [epoch]\n46.9,69.6,1777896000000", 1),
      ("lat,lon,date,time (s)\n46.9,69.6,2026-05-04,45296.25", 1),
      ("lat,lon,Time (CET)\n46.9,69.6,12:00:00", 1),
      ("lat,lon,valid\n46.9,69.6,NO FIX", 0), ("lat,lon,fix\n46.9,69.6,none", 0),
      ("lat,lon,GPSSpeed\n46.9,69.6,3", 1), ("lat,lon,speed_over_ground\n46.9,69.6,3", 1),
      ("lat,lon,GPSSpeed,GPSSpeedRef\n46.9,69.6,3,", 1), ("lat,lon,GPSTrack\n46.9,69.6,3", 1),
      ("lat,lon,GPSTrack,GPSTrackRef\n46.9,69.6,3,M", 1),
      ("lat,lon,GPSImgDirection\n46.9,69.6,3", 1),
      ("lat,lon,GPSAltitude,GPSAltitudeRef\n46.9,69.6,3,2", 1),
    ])
  func counts(_ text: String, _ locations: Int) throws {
    let recording = try recording(text + "\n")
    #expect(recording.locations.count == locations)
    #expect(recording.locations.first?.speed == nil)
    #expect(recording.locations.first?.altitude == nil)
    #expect(recording.times.allSatisfy { $0 == nil })
    #expect(recording.skipped.count == 1, "\(recording.skipped)")
  }

  @Test(
    "F83 coordinates in several columns are refused",
    arguments: [
      "time,lat,lat_min,lon,lon_min", "latitude,latitude minutes,longitude,longitude minutes",
    ])
  func refusesParts(_ header: String) {
    #expect(throws: RecordingError.self) { try recording(header + "\n33,51.6,70,12,0\n") }
  }

  @Test("F83 altitudes of photographs are below the sea if another column states it")
  func altitudesBelowTheSea() throws {
    let rows = ["85 m,Below Sea Level", "-86,1", "85,0", "85,", ",1"].map { "36,-116,\($0)\n" }
    let recording = try recording("lat,lon,GPSAltitude,GPSAltitudeRef\n" + rows.joined())
    #expect(recording.locations.map(\.altitude) == [-85, -86, 85, 85, nil])
    #expect(recording.skipped.isEmpty)
    #expect(recording.omitted.isEmpty)
  }

  /// Garmin's G1000 has a line of units before the names; other tables have it after them.
  @Test(
    "F83 a line beside the header has the units",
    arguments: [
      "#airframe_info, log_version=\"1.00\"\n"
        + "#yyy-mm-dd, hh:mm:ss, hh:mm, degrees, degrees, ft msl, kt, deg\n"
        + "  Lcl Date, Lcl Time, UTCOfst, Latitude, Longitude, AltMSL, GndSpd, TRK\n",
      "airframe_info\nyyyy-mm-dd,hh:mm:ss,hh:mm,degrees,degrees,ft msl,kt,deg\n"
        + "Lcl Date,Lcl Time,UTCOfst,Latitude,Longitude,AltMSL,GndSpd,TRK\n",
      "Lcl Date,Lcl Time,UTCOfst,Latitude,Longitude,AltMSL,GndSpd,TRK\n"
        + ",,,deg,deg,ft,knots,deg\n",
      "Lcl Date,Lcl Time,UTCOfst,Latitude,Longitude,AltMSL,GndSpd,TRK\n,,,,,ft,knots,\n",
    ])
  func unitsBesideTheHeader(_ head: String) throws {
    let recording = try recording(
      head + "2026-05-04, 05:00:00, -07:00, -46.915, -69.635, 328.0839895, 19.4384449, 90\n")
    let location = try #require(recording.locations.first)
    #expect(recording.locations.count == 1)
    #expect(abs((location.altitude ?? 0) - 100) < 1e-6)
    #expect(abs((location.speed ?? 0) - 10) < 1e-6)
    #expect(recording.times == [date(Self.noon)])
    // The track may be relative to magnetic north.
    #expect(location.course == nil)
    #expect(recording.skipped.count == 1, "\(recording.skipped)")
  }

  @Test("F83 references of lengths and angles are read, and others are counted")
  func referencesOfUnits() throws {
    let text =
      "#deg,deg,ft wgs,deg true,deg mag,ft agl\nlat,lon,alt,TRK,heading,depth\n"
      + "1,2,328.0839895,90,80,5\n"
    let recording = try recording(text)
    let location = try #require(recording.locations.first)
    #expect(location.altitude == nil)
    #expect(abs((location.ellipsoidalAltitude ?? 0) - 100) < 1e-6)
    #expect(location.course == 90)
    #expect(recording.skipped.count == 2, "\(recording.skipped)")
  }

  @Test(
    "F83 a local time without its offset is counted",
    arguments: ["", "PST"])
  func localTimes(_ offset: String) throws {
    let recording = try recording(
      "Lcl Date,Lcl Time,UTCOfst,lat,lon\n2026-05-04,05:00:00,\(offset),1,2\n")
    #expect(recording.times == [nil])
    #expect(recording.skipped.count == 1)
  }

  @Test(
    "F83 an offset in its own column applies to times without an offset",
    arguments: [
      ("tz", "+02:00", "2026-05-04 12:00:00", 0), ("utc_offset", "7200", "2026-05-04 12:00:00", 0),
      ("UTC Offset", "-0730", "2026-05-04T02:30:00", 0),
      ("time zone", "UTC", "2026-05-04 10:00:00", 0),
      ("tz", "+2", "2026-05-04 12:00:00", 0), ("tz", "+0900", "2026-05-04 19:00:00", 0),
      // The time has its own offset.
      ("tz", "+02:00", "2026-05-04T10:00:00Z", 0), ("tz", "+02:00", "2026-05-04T12:00:00+02:00", 0),
      ("tz", "7200", "1777888800", 0), ("tz", "", "2026-05-04 10:00:00", 0),
      ("tz", "Europe/Zurich", "2026-05-04 12:00:00", 1), ("tz", "CEST", "2026-05-04 12:00:00", 1),
      ("tz", "+2:00", "2026-05-04 12:00:00", 0), ("tz", "+12:3", "2026-05-04 12:00:00", 1),
      ("tz", "+16:00", "2026-05-04 12:00:00", 1),
      ("tz", "\(Int.min)", "2026-05-04 12:00:00", 1),
    ])
  func offsetColumns(name: String, offset: String, time: String, skipped: Int) throws {
    let recording = try recording("timestamp,\(name),lat,lon\n\(time),\(offset),1,2\n")
    #expect(recording.times == [skipped == 0 ? date("2026-05-04T10:00:00Z") : nil])
    #expect(recording.skipped.count == skipped)
  }

  @Test("F83 a number above 12 determines the order of a date")
  func ordersOfDates() throws {
    for (text, day) in [
      ("13/05/2026", "2026-05-13"), ("05/13/2026", "2026-05-13"), ("05-05-2026", "2026-05-05"),
      ("4.5.2026", "2026-05-04"),
    ] {
      let recording = try recording("lat,lon,date\n1,2,\(text)\n")
      #expect(recording.times == [date(day + "T00:00:00Z")], "\(text)")
    }
  }

  @Test("F83 a text that stands for no value is no fault")
  func absentValues() throws {
    let rows = ["", "-", "n/a", "NaN", " Unknown "].map { "1,2,\($0),\($0),\($0)\n" }
    let recording = try recording("lat,lon,speed,alt,sat\n" + rows.joined())
    #expect(recording.skipped.isEmpty, "\(recording.skipped)")
    #expect(recording.locations.count == 5)
  }

  @Test(
    "F83 102.3 kn stand for no speed in AIS alone",
    arguments: [
      ("SOG", "102.3", true), ("SOG", "102.2", false), ("SOG (kn)", "102.3", true),
      ("SOG (kn GPS)", "102.3", true), ("SOG (GPS)", "102.3", true), ("sog_kts", "102,3", true),
      ("SOG", "102.3 kn", true), ("SOG (m/s)", "102.3", false), ("Speed (kn)", "102.3", false),
    ])
  func absentSpeedOfAIS(name: String, number: String, isAbsent: Bool) throws {
    let recording = try recording("MMSI;LAT;LON;\(name)\n2;46.9;69.6;\(number)\n")
    #expect(recording.skipped.isEmpty, "\(recording.skipped)")
    #expect((recording.locations.first?.speed == nil) == isAbsent)
  }

  /// A file may have the same fault in each of a million lines.
  @Test("F83 a fault of a column is counted once")
  func oneFaultOfAColumn() throws {
    let row = "1,2,fast,high\n"
    let recording = try recording("lat,lon,speed,alt\n" + String(repeating: row, count: 50))
    #expect(recording.skipped.count == 2)
    #expect(recording.skipped.parts.map(\.line) == [2, 2])
  }
}
