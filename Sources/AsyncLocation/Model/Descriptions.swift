// The printed members of the package's values; see ``Described``. Units are those of the
// properties.

extension Coordinate: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("latitude", latitude, "°"),
      DescribedMember("longitude", longitude, "°"),
    ]
  }
}

extension Location: Described {
  package var members: [DescribedMember] {
    Values(self).members + [DescribedMember("integrity", integrity)]
  }
}

extension Location.Values: Described {
  package var members: [DescribedMember] {
    coordinate.members + [
      DescribedMember("timestamp", timestamp),
      DescribedMember("altitude", altitude, "m"),
      DescribedMember("ellipsoidalAltitude", ellipsoidalAltitude, "m"),
      DescribedMember("horizontalAccuracy", horizontalAccuracy, "m"),
      DescribedMember("verticalAccuracy", verticalAccuracy, "m"),
      DescribedMember("speed", speed, "m/s"),
      DescribedMember("speedAccuracy", speedAccuracy, "m/s"),
      DescribedMember("course", course, "°"),
      DescribedMember("courseAccuracy", courseAccuracy, "°"),
      DescribedMember("climb", climb, "m/s"),
      DescribedMember("floor", floor),
      DescribedMember("sourceInformation", sourceInformation),
      DescribedMember("gnss", gnss),
    ]
  }
}

extension GNSSFix: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("mode", mode),
      DescribedMember("status", status),
      DescribedMember("dilutionOfPrecision", dilutionOfPrecision),
      DescribedMember("satellitesUsed", satellitesUsed),
      DescribedMember("satellitesVisible", satellitesVisible),
      DescribedMember("magneticVariation", magneticVariation, "°"),
      DescribedMember("geoidSeparation", geoidSeparation, "m"),
      DescribedMember("differentialAge", differentialAge, "s"),
      DescribedMember("differentialStation", differentialStation),
      DescribedMember("timeUncertainty", timeUncertainty, "s"),
      DescribedMember("jamming", jamming),
      DescribedMember("antennaStatus", antennaStatus),
    ]
  }
}

extension DilutionOfPrecision: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("horizontal", horizontal),
      DescribedMember("vertical", vertical),
      DescribedMember("position", position),
      DescribedMember("time", time),
      DescribedMember("geometric", geometric),
      DescribedMember("east", east),
      DescribedMember("north", north),
    ]
  }
}

extension SourceInformation: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("device", device),
      DescribedMember("isSimulated", isSimulated),
      DescribedMember("timeSource", timeSource),
      DescribedMember("isPreferred", isPreferred),
    ]
  }
}

extension Heading: Described {
  package var members: [DescribedMember] { Values(self).members }
}

extension Heading.Values: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("trueHeading", trueHeading, "°"),
      DescribedMember("magneticHeading", magneticHeading, "°"),
      DescribedMember("headingAccuracy", headingAccuracy, "°"),
      DescribedMember("magneticField", magneticField),
      DescribedMember("timestamp", timestamp),
      DescribedMember("source", source),
      DescribedMember("sourceInformation", sourceInformation),
    ]
  }
}

extension Heading.MagneticField: Described {
  package var members: [DescribedMember] {
    [DescribedMember("x", x), DescribedMember("y", y), DescribedMember("z", z)]
  }
}

extension Satellite: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("prn", prn),
      DescribedMember("constellation", constellation),
      DescribedMember("vehicle", vehicle),
      DescribedMember("signal", signal),
      DescribedMember("frequency", frequency),
      DescribedMember("elevation", elevation, "°"),
      DescribedMember("azimuth", azimuth, "°"),
      DescribedMember("signalStrength", signalStrength, "dB-Hz"),
      DescribedMember("pseudorangeResidual", pseudorangeResidual, "m"),
      DescribedMember("isHealthy", isHealthy),
      DescribedMember("isUsed", isUsed),
    ]
  }
}

extension SatelliteView: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("timestamp", timestamp),
      DescribedMember("satellites", satellites),
      DescribedMember("dilutionOfPrecision", dilutionOfPrecision),
      DescribedMember("sourceInformation", sourceInformation),
    ]
  }
}

extension Receiver: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("name", name),
      DescribedMember("driver", driver),
      DescribedMember("model", model),
      DescribedMember("activated", activated),
      DescribedMember("baudRate", baudRate, "bit/s"),
      DescribedMember("cycle", cycle),
    ]
  }
}

extension LocationUpdate: Described {
  package var members: [DescribedMember] {
    [DescribedMember("location", location), DescribedMember("diagnostics", diagnostics)]
  }
}

extension ConnectionState: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("phase", phase),
      DescribedMember("endpoint", endpoint),
      DescribedMember("attempts", attempts),
      DescribedMember("retryDelay", retryDelay),
      DescribedMember("problem", problem),
      DescribedMember("receivers", receivers),
      DescribedMember("preferredReceiver", preferredReceiver),
      DescribedMember("devices", devices),
    ]
  }
}

extension DesiredAccuracy: Described {
  package var members: [DescribedMember] {
    [DescribedMember("meters", meters, "m")]
  }

  public var description: String { meters.map { "\($0) m" } ?? "best" }
}
